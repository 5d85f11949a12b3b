/** How current the data on screen is, worst first; past: the user looks at an earlier moment. */
export type Freshness = "past" | "denied" | "gone" | "offline" | "stale" | "connecting" | "syncing" | "live";

export interface WatchGlassEvents {
  /** The view runs. */
  ready: CustomEvent<{ version: string }>;
  /** The data became live, or is no longer. */
  state: CustomEvent<{ state: Freshness; since: string }>;
  /** The user opened an object; with an empty key, closed it. */
  select: CustomEvent<{ key: string; resource: string; namespace: string; name: string }>;
  /** The user changed the view. The address opens the same view in a window of its own. */
  navigate: CustomEvent<{ address: string }>;
  /** Nothing is shown, and why. */
  error: CustomEvent<{ code: "address" | "refused" | "signed-out" | "stopped"; message: string }>;
}

/** A live, read-only view of a Kubernetes cluster. Each property is also an attribute. */
export class WatchGlass extends HTMLElement {
  /** Address of Watchglass, such as https://watchglass.example.com */
  src: string;
  /** Kubeconfig context. Default: the first */
  context: string;
  /** Kind, such as pods or deployments.apps; or problems, or overview for its totals alone. Default: pods */
  resource: string;
  /** Namespaces, separated by commas. Default: all */
  namespace: string;
  /** Label selector, as kubectl writes it */
  selector: string;
  /** Filter, such as status:!Running */
  query: string;
  /** Columns, such as Name,Status,Age */
  columns: string;
  /** Column to sort by; with a leading - descending */
  sort: string;
  /** Facet to group the rows by, such as Node */
  group: string;
  /** Show one object instead of a list: namespace/name */
  object: string;
  /** Tab of the object: yaml, events, related, logs or changes. Default: summary */
  tab: string;
  /** Default: the system's */
  theme: "light" | "dark" | "";
  density: "compact" | "default" | "comfortable" | "";
  /** CSS color */
  accent: string;
  /** Accessible name */
  label: string;
  /** "content" fits the height to the rows. Otherwise CSS decides */
  height: "content" | "";
  /**
   * Returns a bearer token to sign in with. Each element calls its own, and again to renew the session.
   * If a later token is of another user, the view is loaded anew as that user. When your user signs
   * out, remove the element: its session lasts until it has to be renewed.
   */
  token: ((at: { src: string; context: string }) => string | Promise<string>) | null;
  /** Freshness, as last reported; null while nothing is shown */
  readonly state: { state: Freshness; since: string } | null;
  /** Holds updates back, also those of a view that loads later. With false, shows them again. */
  pause(on?: boolean): void;
  /** Same as setting query. */
  filter(text?: string): void;
  addEventListener<K extends keyof WatchGlassEvents>(type: K, listener: (this: WatchGlass, event: WatchGlassEvents[K]) => unknown, options?: boolean | AddEventListenerOptions): void;
  addEventListener(type: string, listener: EventListenerOrEventListenerObject, options?: boolean | AddEventListenerOptions): void;
}

declare global {
  interface HTMLElementTagNameMap { "watch-glass": WatchGlass }
}
