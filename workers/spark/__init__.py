"""The Spark side: the server, the session, and the one host that runs every operator. It imports no Django."""
