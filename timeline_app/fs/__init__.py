"""Files that are whole or not there at all, on disk, S3 and HDFS."""
