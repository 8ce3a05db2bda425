"""The review page: people read claims beside their sources and decide, in a browser on their own machine."""
