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
      "unit",
      "repeat"
    ],
    "most": 0,
    "needs_number": false,
    "needs_operator": "",
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
      "unit",
      "low",
      "high",
      "repeat"
    ],
    "most": 0,
    "needs_number": true,
    "needs_operator": "",
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
      "change",
      "repeat"
    ],
    "most": 0,
    "needs_number": false,
    "needs_operator": "",
    "default_for": []
  },
  "gauge": {
    "title": "Gauge",
    "meaning": "a number between two bounds",
    "subject": "key",
    "size": [
      3,
      4
    ],
    "least": [
      2,
      3
    ],
    "options": [
      "unit",
      "low",
      "high",
      "repeat"
    ],
    "most": 0,
    "needs_number": true,
    "needs_operator": "",
    "default_for": []
  },
  "lines": {
    "title": "Lines by group",
    "meaning": "a line for each of the top groups",
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
      "low",
      "high",
      "top",
      "order"
    ],
    "most": 10,
    "needs_number": true,
    "needs_operator": "",
    "default_for": [
      "groups"
    ]
  },
  "stack": {
    "title": "Stacked area by group",
    "meaning": "the top groups, stacked: for sums, not for averages",
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
      "low",
      "high",
      "top",
      "order"
    ],
    "most": 10,
    "needs_number": true,
    "needs_operator": "",
    "default_for": []
  },
  "bars": {
    "title": "Bars by group",
    "meaning": "a bar for each of the top groups now",
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
    "most": 50,
    "needs_number": true,
    "needs_operator": "",
    "default_for": []
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
      "order",
      "sparkline"
    ],
    "most": 50,
    "needs_number": false,
    "needs_operator": "",
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
    "needs_operator": "",
    "default_for": []
  },
  "heat": {
    "title": "Heat map",
    "meaning": "a row for each key over time, darker where the number is greater",
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
      "sort"
    ],
    "most": 0,
    "needs_number": true,
    "needs_operator": "",
    "default_for": []
  },
  "grid": {
    "title": "Status grid",
    "meaning": "a cell for each key in the colour of its value now",
    "subject": "keys",
    "size": [
      6,
      5
    ],
    "least": [
      2,
      2
    ],
    "options": [
      "unit",
      "sort"
    ],
    "most": 0,
    "needs_number": false,
    "needs_operator": "",
    "default_for": []
  },
  "changes": {
    "title": "Event log",
    "meaning": "the newest changes of all keys, one below the other",
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
      "unit"
    ],
    "most": 0,
    "needs_number": false,
    "needs_operator": "",
    "default_for": []
  },
  "histogram": {
    "title": "Histogram",
    "meaning": "how many keys have which value now",
    "subject": "keys",
    "size": [
      6,
      5
    ],
    "least": [
      3,
      3
    ],
    "options": [
      "unit"
    ],
    "most": 0,
    "needs_number": false,
    "needs_operator": "",
    "default_for": []
  },
  "funnel": {
    "title": "Funnel",
    "meaning": "how many keys reached each step of a sequence",
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
      "count"
    ],
    "most": 0,
    "needs_number": false,
    "needs_operator": "sequence",
    "default_for": [
      "sequence"
    ]
  },
  "incidents": {
    "title": "Incidents",
    "meaning": "incidents of one alert or all, firing first",
    "subject": "nothing",
    "size": [
      6,
      6
    ],
    "least": [
      3,
      3
    ],
    "options": [
      "alert",
      "severity",
      "incident_state"
    ],
    "most": 0,
    "needs_number": false,
    "needs_operator": "",
    "default_for": []
  },
  "alert_keys": {
    "title": "Status of an alert",
    "meaning": "a cell for each key of an alert: firing, pending or resolved",
    "subject": "nothing",
    "size": [
      6,
      5
    ],
    "least": [
      2,
      2
    ],
    "options": [
      "alert"
    ],
    "most": 0,
    "needs_number": false,
    "needs_operator": "",
    "default_for": []
  },
  "repair_time": {
    "title": "Time to resolve",
    "meaning": "how long incidents took on average until they ended, or were acknowledged",
    "subject": "nothing",
    "size": [
      3,
      3
    ],
    "least": [
      2,
      2
    ],
    "options": [
      "alert",
      "severity",
      "measure"
    ],
    "most": 0,
    "needs_number": false,
    "needs_operator": "",
    "default_for": []
  },
  "text": {
    "title": "Text",
    "meaning": "your own words, in Markdown",
    "subject": "nothing",
    "size": [
      4,
      4
    ],
    "least": [
      2,
      1
    ],
    "options": [
      "text"
    ],
    "most": 0,
    "needs_number": false,
    "needs_operator": "",
    "default_for": []
  }
} as const;
