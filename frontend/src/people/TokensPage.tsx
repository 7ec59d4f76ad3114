import { useState } from "react";
import { api, type MadeToken, type TokenRow } from "../core/api/client";
import type { Me } from "../core/api/types";
import { DeleteDialog } from "../core/ui/DeleteDialog";
import { Header } from "../core/shell/Header";
import { Loading } from "../core/ui/Loading";
import { useLoaded } from "../core/ui/useLoaded";
import { useTitle } from "../core/ui/useTitle";
import { formatMoment, microsOf } from "../core/time/format";
import { Ago } from "../core/ui/Ago";
import { NewTokenCard } from "./NewTokenCard";
import { MakeDialog } from "./MakeDialog";
import { describeExpiry, formatScopes } from "./tokenWords";
import { Failure } from "../core/ui/Failure";
import "./tokens.css";

interface TableProps {
  tokens: readonly TokenRow[];
  now: number;
  end: (token: TokenRow) => void;
}

function Table({ tokens, now, end }: TableProps) {
  return (
    <table className="stacking" data-testid="tokens">
      <thead>
        <tr>
          <th>Token</th>
          <th>Scopes</th>
          <th>Created</th>
          <th>Last used</th>
          <th>Expires</th>
          <th aria-label="Actions" />
        </tr>
      </thead>
      <tbody>
        {tokens.map((token) => (
          <tr key={token.id} className={token.expired ? "faint" : undefined}>
            <td>{token.name}</td>
            <td data-of="Scopes">{formatScopes(token.scopes)}</td>
            <td className="nowrap" data-of="Created">
              <Ago at={token.created_at} now={now} />
            </td>
            <td className="nowrap" data-of="Last used">
              {token.last_used_at === null ? "never" : <Ago at={token.last_used_at} now={now} />}
            </td>
            <td className="nowrap" data-of="Expires" title={formatMoment(microsOf(token.expires_at))}>
              {describeExpiry(token, now)}
            </td>
            <td className="actions">
              <button
                type="button"
                className="quiet"
                aria-label={`${token.expired ? "Remove" : "Revoke"} ${token.name}`}
                onClick={() => end(token)}
              >
                {token.expired ? "Remove" : "Revoke"}
              </button>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Empty() {
  return (
    <section className="card empty">
      <h2>No tokens yet</h2>
      <p>Programs push events and call the API with a token. A token has scopes and an expiry date.</p>
    </section>
  );
}

export function TokensPage({ me }: { me: Me | null }) {
  useTitle("Tokens");
  const { value: tokens, failure, again } = useLoaded(api.tokens);
  const [now] = useState(() => Date.now());
  const [making, setMaking] = useState(false);
  const [made, setMade] = useState<MadeToken | null>(null);
  const [ending, setEnding] = useState<TokenRow | null>(null);
  const take = (token: MadeToken) => {
    setMade(token);
    setMaking(false);
    again();
  };
  return (
    <>
      <Header me={me} here="tokens" />
      <main className="page">
        <div className="row spread">
          <h1>Tokens</h1>
          <button type="button" className="primary" data-testid="new-token" onClick={() => setMaking(true)}>
            New token
          </button>
        </div>
        <Failure words={failure} />
        {made && <NewTokenCard token={made} done={() => setMade(null)} />}
        {!tokens && failure === null && <Loading what="tokens" />}
        {tokens?.length === 0 && <Empty />}
        {tokens && tokens.length > 0 && <Table tokens={tokens} now={now} end={setEnding} />}
        {making && <MakeDialog made={take} close={() => setMaking(false)} />}
        {ending && (
          <DeleteDialog
            name={ending.name}
            verb={ending.expired ? "Remove" : "Revoke"}
            remove={() => api.endToken(ending.id)}
            close={() => setEnding(null)}
            done={() => {
              if (made?.id === ending.id) setMade(null);
              setEnding(null);
              again();
            }}
          >
            {ending.expired
              ? "This token no longer works."
              : "Requests with it are rejected from now on. This cannot be undone."}
          </DeleteDialog>
        )}
      </main>
    </>
  );
}
