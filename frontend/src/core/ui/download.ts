/** Files that the page hands to the browser. */

/** A file's name from a title: letters, digits and hyphens. */
export function fileName(title: string, ending: string, otherwise: string): string {
  const bare = title
    .normalize("NFKC")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, "-")
    .replace(/^-+|-+$/g, "")
    .slice(0, 80);
  return `${bare || otherwise}.${ending}`;
}

export function download(name: string, content: string, type: string): void {
  downloadBlob(name, new Blob([content], { type: `${type};charset=utf-8` }));
}

export function downloadBlob(name: string, content: Blob): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  window.setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}
