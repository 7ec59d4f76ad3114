/** The functions of values of events, for conditions and wherever a field may be computed; docs/semantics.md has their meaning. */

export interface EventFunction {
  /** How it is called. */
  signature: string;
  help: string;
  /** What is put in, `#{…}` where something is to be filled in. */
  template: string;
}

const describe = (signature: string, help: string, template: string): EventFunction => ({
  signature,
  help,
  template,
});

export const FUNCTIONS: Readonly<Record<string, EventFunction>> = {
  abs: describe("abs(number)", "The number without its sign.", "abs(#{number})"),
  ceil: describe("ceil(number)", "The least whole number that is not below.", "ceil(#{number})"),
  coalesce: describe("coalesce(a, b, …)", "The first value that is not missing.", "coalesce(#{a}, #{b})"),
  contains: describe(
    'contains(text, "part")',
    "Whether the text has the part. Large and small letters are different.",
    'contains(#{text}, "#{part}")',
  ),
  ends_with: describe(
    'ends_with(text, "end")',
    "Whether the text ends so. Large and small letters are different.",
    'ends_with(#{text}, "#{end}")',
  ),
  floor: describe("floor(number)", "The greatest whole number that is not above.", "floor(#{number})"),
  hour: describe(
    'hour("zone")',
    "The hour, 0 to 23, of the event's time by the clocks of a zone; UTC without one.",
    'hour("#{UTC}")',
  ),
  if: describe(
    "if(condition, a, b)",
    "The value `a` where the condition is true, `b` where it is false, else missing. Write `missing` for one of them to leave the value out.",
    "if(#{condition}, #{a}, #{b})",
  ),
  length: describe("length(text)", "How many characters the text has.", "length(#{text})"),
  lower: describe("lower(text)", "The text in small letters.", "lower(#{text})"),
  matches: describe(
    'matches(text, "pattern")',
    "Whether the pattern, a regular expression of RE2, is found anywhere in the text.",
    'matches(#{text}, "#{pattern}")',
  ),
  max: describe("max(a, b, …)", "The greatest number; missing where one of them is.", "max(#{a}, #{b})"),
  min: describe("min(a, b, …)", "The least number; missing where one of them is.", "min(#{a}, #{b})"),
  round: describe("round(number)", "The nearest whole number; halves go away from zero.", "round(#{number})"),
  starts_with: describe(
    'starts_with(text, "start")',
    "Whether the text starts so. Large and small letters are different.",
    'starts_with(#{text}, "#{start}")',
  ),
  time: describe(
    'time(field, "unit", "zone")',
    "The field as a time: in the stream's own unit, or the one that you say. `time` alone is the event's time. Two times give seconds, such as time - placed_at, or are compared.",
    "time(#{field})",
  ),
  trim: describe("trim(text)", "The text without blanks at both ends.", "trim(#{text})"),
  upper: describe("upper(text)", "The text in large letters.", "upper(#{text})"),
  weekday: describe(
    'weekday("zone")',
    "The day, 1 (Monday) to 7, of the event's time by the clocks of a zone; UTC without one.",
    'weekday("#{UTC}")',
  ),
};

export const isFunction = (name: string): boolean => Object.hasOwn(FUNCTIONS, name);
