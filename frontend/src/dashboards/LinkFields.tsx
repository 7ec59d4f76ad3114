/** The fields of where a chart leads. */
import { useCallback, useId } from "react";
import { api } from "../core/api/client";
import type { ChartLink } from "../core/api/dashboards";
import { ChooseField } from "../core/search/ChooseField";
import { useLoaded } from "../core/ui/useLoaded";
import type { FieldsProps } from "./chartFields";
import { findReadableBoards } from "./chartOptions";
import { titleOfLink } from "./chartLinks";
import { hasNode } from "./document";

const TARGETS: readonly [to: ChartLink["to"], words: string][] = [
  ["dashboard", "another dashboard"],
  ["lanes", "the lanes in the studio"],
  ["address", "an address of the web"],
];

interface Props {
  link: ChartLink;
  set: (change: Partial<ChartLink>) => void;
}

function BoardField({ link, set }: Props) {
  const { dashboard = null } = link;
  const { value: name } = useLoaded(
    useCallback(
      () =>
        dashboard === null
          ? Promise.resolve("")
          : api.dashboard(dashboard, null).then(
              (board) => board.name,
              () => "",
            ),
      [dashboard],
    ),
  );
  return (
    <ChooseField
      label="Dashboard that opens"
      testid="link-board"
      what="dashboards"
      kind="dashboard"
      value={name ?? ""}
      find={findReadableBoards}
      choose={({ id }) => set({ dashboard: Number(id) })}
    />
  );
}

function AddressField({ link, set }: Props) {
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id}>
        Address, with <code>{"{key}"}</code>, <code>{"{group}"}</code>, <code>{"{from}"}</code>,{" "}
        <code>{"{to}"}</code>
      </label>
      <input
        id={id}
        data-testid="link-address"
        maxLength={2000}
        value={link.address ?? ""}
        placeholder="https://wiki.example/runbook?session={key}"
        onChange={(event) => set({ address: event.target.value.trim() })}
      />
    </div>
  );
}

function TitleField({ link, set }: Props) {
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id}>
        Title of the link <i className="faint">optional</i>
      </label>
      <input
        id={id}
        maxLength={100}
        value={link.title ?? ""}
        placeholder={titleOfLink({ ...link, title: "" })}
        onChange={(event) => set({ title: event.target.value })}
      />
    </div>
  );
}

export function LinkFields({ draft, edit }: FieldsProps) {
  const id = useId();
  const link = draft.link ?? null;
  const targets = TARGETS.filter(([to]) => to !== "lanes" || hasNode(draft.type));
  const choose = (text: string): void => {
    const to = targets.find(([target]) => target === text)?.[0] ?? null;
    edit({ link: to === null ? null : { to, title: link?.title ?? "" } });
  };
  const set = (change: Partial<ChartLink>) => edit({ link: link && { ...link, ...change } });
  return (
    <>
      <div className="field">
        <label htmlFor={id}>Leads to</label>
        <select
          id={id}
          data-testid="link-to"
          value={link?.to ?? ""}
          onChange={(event) => choose(event.target.value)}
        >
          <option value="">nothing</option>
          {targets.map(([to, words]) => (
            <option key={to} value={to}>
              {words}
            </option>
          ))}
        </select>
      </div>
      {link?.to === "dashboard" && <BoardField link={link} set={set} />}
      {link?.to === "address" && <AddressField link={link} set={set} />}
      {link !== null && <TitleField link={link} set={set} />}
    </>
  );
}
