"""Times and days as they sort; all of them are UTC."""

DATETIME_FORMAT = "Y-m-d H:i:s"
SHORT_DATETIME_FORMAT = "Y-m-d H:i"
DATE_FORMAT = SHORT_DATE_FORMAT = "Y-m-d"
