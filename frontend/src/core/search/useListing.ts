import { useEffect, useState, useSyncExternalStore } from "react";
import { fetchPage } from "../api/client";
import { Listing, type ListingState } from "./listing";

const AGAIN_MS = 5000;

export interface PagedListing<T> extends ListingState<T> {
  more: () => void;
  again: () => void;
}

/** A list of the server, page by page; what is shown is looked at again as long as somebody may see it. */
export function useListing<T>(address: string): PagedListing<T> {
  const [listing] = useState(() => new Listing<T>(fetchPage));
  const state = useSyncExternalStore(listing.subscribe, listing.get);
  useEffect(() => {
    listing.open(address);
    const look = () => {
      if (!document.hidden && document.querySelector("dialog[open]") === null) listing.again();
    };
    const timer = window.setInterval(look, AGAIN_MS);
    document.addEventListener("visibilitychange", look);
    return () => {
      window.clearInterval(timer);
      document.removeEventListener("visibilitychange", look);
      listing.end();
    };
  }, [address, listing]);
  return { ...state, more: listing.more, again: listing.again };
}

/** The address of a list, searched. */
export function listOf(path: string, query: Readonly<Record<string, string>>, limit = 50): string {
  const said = Object.entries(query).filter(([, value]) => value !== "");
  return `${path}?${new URLSearchParams([...said, ["limit", String(limit)]])}`;
}
