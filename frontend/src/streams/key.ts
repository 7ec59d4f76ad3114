/** The fields that a key is made of: the name of one, or the JSON text of the list of several. Pure. */

export function fieldsOfKey(key: string): string[] {
  if (!key.startsWith("[")) return [key];
  try {
    const names: unknown = JSON.parse(key);
    if (Array.isArray(names) && names.length > 1 && names.every((name) => typeof name === "string"))
      return names;
  } catch {
    return [key];
  }
  return [key];
}

/** The key of these fields, each once; blank names are left out. */
export function keyOfFields(fields: readonly string[]): string {
  const names = [...new Set(fields)].filter((name) => name.trim() !== "");
  return names.length > 1 ? JSON.stringify(names) : (names[0] ?? "");
}

/** The key with another first field; one that is being written may be blank for now. */
export function withFirst(key: string, first: string): string {
  const [, ...others] = fieldsOfKey(key);
  if (others.length === 0) return first;
  return first.trim() === "" ? JSON.stringify(["", ...others]) : keyOfFields([first, ...others]);
}
