"""Files in directories: sources of events, and Parquet as a sink."""
