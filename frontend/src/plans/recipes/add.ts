/** Add the nodes of a recipe to the plan that is drawn. */
import { api, describeError } from "../../core/api/client";
import { replaceDocument, select } from "../editor/edits";
import { withLayout } from "../editor/firstLayout";
import { documentOf, get, likelyStream, set } from "../editor/store";
import { zoomToFit } from "../editor/view";
import { merge } from "../../core/graph/merge";
import { adaptRecipe } from "./adapt";
import type { Recipe } from "./recipes";

export async function addRecipe({ title, plan }: Recipe): Promise<void> {
  try {
    const { document } = await api.readText(`${plan.join("\n")}\n`, null);
    if (document === null) throw new Error(`The recipe “${title}” cannot be read. Reload the page.`);
    const { streams, operators } = get();
    const laid = await withLayout(adaptRecipe(document, streams, likelyStream(get())), operators);
    const before = documentOf(get());
    const merged = merge(before, laid, operators);
    replaceDocument({ ...merged.document, name: before.name }, null);
    select(Object.keys(merged.document.nodes).filter((name) => !(name in before.nodes)));
    zoomToFit(get().selected);
    set({
      notice: {
        tone: "good",
        text: `Added “${title}”. Set its streams, fields and values; Undo removes it.`,
      },
    });
  } catch (error) {
    set({ notice: { tone: "bad", text: describeError(error) } });
  }
}
