/** Written by `make types` from timeline_app/web/dashboards/chart_types.py. */
export const CHART_TYPES = {
  "lane": {
    "title": "Lane",
    "meaning": "the states of one key as coloured spans",
    "subject": "key",
    "size": [
      12,
      3
    ],
    "least": [
      3,
      2
    ],
    "options": [
      "unit"
    ],
    "most": 0,
    "needs_number": false,
    "default_for": [
      "states"
    ]
  },
  "line": {
    "title": "Line",
    "meaning": "a number of one key or group over time",
    "subject": "key",
    "size": [
      6,
      6
    ],
    "least": [
      3,
      3
    ],
    "options": [
      "unit"
    ],
    "most": 0,
    "needs_number": true,
    "default_for": [
      "number"
    ]
  },
  "number": {
    "title": "Single number",
    "meaning": "one value in large digits with its change",
    "subject": "key",
    "size": [
      3,
      3
    ],
    "least": [
      2,
      2
    ],
    "options": [
      "unit",
      "change"
    ],
    "most": 0,
    "needs_number": false,
    "default_for": []
  },
  "stack": {
    "title": "Stacked area by group",
    "meaning": "the top groups, stacked",
    "subject": "keys",
    "size": [
      6,
      6
    ],
    "least": [
      3,
      3
    ],
    "options": [
      "unit",
      "top",
      "order"
    ],
    "most": 10,
    "needs_number": true,
    "default_for": [
      "groups"
    ]
  },
  "table": {
    "title": "Table of keys",
    "meaning": "the top keys, sorted by value",
    "subject": "keys",
    "size": [
      4,
      8
    ],
    "least": [
      3,
      3
    ],
    "options": [
      "unit",
      "top",
      "order"
    ],
    "most": 50,
    "needs_number": false,
    "default_for": []
  },
  "states": {
    "title": "All keys",
    "meaning": "a row for each key over time",
    "subject": "keys",
    "size": [
      12,
      8
    ],
    "least": [
      4,
      3
    ],
    "options": [
      "unit",
      "sort",
      "state"
    ],
    "most": 0,
    "needs_number": false,
    "default_for": []
  }
} as const;
