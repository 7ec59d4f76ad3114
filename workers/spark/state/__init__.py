"""The state of a query: per bucket an LSM tree over Spark's `MapState`.

    pages             recent rows of many keys, one value a page; rewritten when its deltas grow
    page_deltas       what batches added to a page since it was last written whole
    page_view         rows of a batch's pages where they lie; only rows that a batch needs are copied
    page_cache        values written lately, in files beside Spark's own, so that reading skips Spark
    idle_keys         keys that nothing touches, evicted from pages; `idle_directory` says where each lies
    archive           older rows of long keys, in segments; `archiving` moves rows there, `archived_ids` indexes ids
    rows              rows of keys, and the summaries of keys whose older rows are gone
    summaries         what operators remember of rows that left by retention or went to the archive
    prefix_snapshots  a second, newer summary of a long key, so that a key of 200 rows is evaluated from 20
    evaluation        evaluates a program on rows and summaries, before and after a batch
    history           all of this together, for events; `inputs` holds the pieces of other nodes' timelines as rows

A batch loads the pages of the keys that it touches, evaluates those keys before and after, and writes what is new.
"""
