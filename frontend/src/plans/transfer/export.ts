/** The plan as a file, or in the clipboard. */
import { api, describeError } from "../../core/api/client";
import { download, fileName } from "../../core/ui/download";
import type { PlanDocument } from "../../core/api/types";
import { planNumber } from "../drafts/planActions";
import { documentOf, get, refusesChange, set } from "../editor/store";
import { settleTyping } from "../editor/typing";
import { calls } from "../../core/api/sampleCalls";
import { MEMORY } from "../text/memory";

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
    set({ notice: { tone: "bad", text: describeError(error) } });
  }
}

export function exportJson(): Promise<void> {
  return told(() => {
    const plan = documentOf(get());
    download(fileName(plan.name, "json", "plan"), `${JSON.stringify(plan, null, 2)}\n`, "application/json");
    return Promise.resolve(null);
  });
}

export function exportText(): Promise<void> {
  return told(async () => {
    const plan = documentOf(get());
    download(fileName(plan.name, "txt", "plan"), await textOf(plan), "text/plain");
    return null;
  });
}

/** With its tests, their samples and the streams: all that it takes to run them elsewhere, or to import them. */
export function exportWithTests(): Promise<void> {
  return told(async () => {
    const { plan } = get();
    const number = plan && refusesChange(get()) !== null ? plan.id : await planNumber();
    const content = JSON.stringify(await calls.exported(number), null, 2);
    download(
      fileName(`${documentOf(get()).name} with tests`, "json", "plan"),
      `${content}\n`,
      "application/json",
    );
    return null;
  });
}

export function copyText(): Promise<void> {
  return told(async () => {
    await navigator.clipboard.writeText(await textOf(documentOf(get())));
    return "The plan is in the clipboard, as text.";
  });
}
