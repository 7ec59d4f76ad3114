/** The plan as a file, or in the clipboard. */
import { api, inWords } from "../../core/api/client";
import type { PlanDocument } from "../../core/api/types";
import { planNumber } from "../drafts/planActions";
import { documentOf, get, refusesChange, set } from "../editor/store";
import { settleTyping } from "../editor/typing";
import { calls } from "../../core/api/sampleCalls";
import { MEMORY } from "../text/memory";

/** A file's name from a plan's: letters, digits and hyphens. */
function fileName(plan: string, ending: string): string {
  const bare = plan
    .normalize("NFKC")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, "-")
    .replace(/^-+|-+$/g, "")
    .slice(0, 80);
  return `${bare || "plan"}.${ending}`;
}

function download(name: string, content: string, type: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([content], { type: `${type};charset=utf-8` }));
  link.download = name;
  link.click();
  window.setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

/** As it was typed where it was typed; else as the server writes it. */
async function textOf(plan: PlanDocument): Promise<string> {
  return MEMORY.text.typed.get(plan) ?? (await api.textOf(plan)).text ?? "";
}

async function told(action: () => Promise<string | null>): Promise<void> {
  try {
    await settleTyping();
    const text = await action();
    if (text !== null) set({ notice: { tone: "good", text } });
  } catch (error) {
    set({ notice: { tone: "bad", text: inWords(error) } });
  }
}

export function exportJson(): Promise<void> {
  return told(() => {
    const plan = documentOf(get());
    download(fileName(plan.name, "json"), `${JSON.stringify(plan, null, 2)}\n`, "application/json");
    return Promise.resolve(null);
  });
}

export function exportText(): Promise<void> {
  return told(async () => {
    const plan = documentOf(get());
    download(fileName(plan.name, "txt"), await textOf(plan), "text/plain");
    return null;
  });
}

/** With its tests, their samples and the streams: all that it takes to run them elsewhere, or to import them. */
export function exportWithTests(): Promise<void> {
  return told(async () => {
    const { plan } = get();
    const number = plan && refusesChange(get()) !== null ? plan.id : await planNumber();
    const content = JSON.stringify(await calls.exported(number), null, 2);
    download(fileName(`${documentOf(get()).name} with tests`, "json"), `${content}\n`, "application/json");
    return null;
  });
}

export function copyText(): Promise<void> {
  return told(async () => {
    await navigator.clipboard.writeText(await textOf(documentOf(get())));
    return "The plan is in the clipboard, as text.";
  });
}
