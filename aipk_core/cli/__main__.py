"""``python -m aipk_core.cli``, for places where console scripts are not on the path."""

from aipk_core.cli import main

# Worker processes import the main module again; without the guard each would start the command once more.
if __name__ == "__main__":
    main()
