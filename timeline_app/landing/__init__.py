"""The landing of a stream: its log of events, segments, deduplication, watermarks and scans."""
