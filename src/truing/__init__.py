"""truing."""
