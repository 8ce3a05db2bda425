"""Sites made with Hugo: their configuration, pages, shortcodes and the files that a page is put together from."""
