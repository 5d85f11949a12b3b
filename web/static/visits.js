// Keeps what this browser saw last for its next visit, in its private files (OPFS). They are encrypted with
// a key that the proxy gives to this session only, so that nobody can read them once the session is over.
// They are never read as those of another context, session or program. A file is a list of blocks:
//
//	length, nonce, and the block: compressed, then encrypted with its place and whether it is the last
"use strict";
self.watchglassVisits = (() => {
  const { base, frame, alone } = JSON.parse(self.name), folder = `watchglass-visit-${encodeURIComponent(base)}`;
  const most = 256 * 2 ** 20, longest = 24 * 60 * 60 * 1000; // of all files, in bytes; of one, in milliseconds
  const able = !frame && !alone && !!navigator.storage?.getDirectory && !!crypto.subtle && !!self.CompressionStream;
  let loading; // the file that is needed first
  const places = Object.create(null), sessions = Object.create(null); // by context; one may be named __proto__
  const off = "private browser storage (OPFS) is not available in this window";

  const all = async (create) => (await navigator.storage.getDirectory()).getDirectoryHandle(folder, { create });
  const files = async function* () {
    const there = able && (await all(false).catch(() => null));
    if (there) for await (const [name, file] of there.entries()) yield [name, file, there];
  };
  const text = encodeURIComponent; // it leaves no comma
  const drop = (there, name) => there.removeEntry(name).catch(() => {});
  const through = async (bytes, transform) => new Uint8Array(await new Response(new Response(bytes).body.pipeThrough(transform)).arrayBuffer());
  const of = (context) => places[context] ?? (() => { throw new Error("the last visit was removed"); })();
  const cipher = ({ session, about }, name, iv, at, last) => ({ name: "AES-GCM", iv, additionalData: new TextEncoder().encode(JSON.stringify([session, about, name, at, last])) });

  // room removes the files that were written first, until all fit.
  const room = async () => {
    const list = [];
    let sum = 0;
    for await (const [name, file] of files()) {
      const { size, lastModified } = await file.getFile();
      list.push([lastModified, name, size]);
      sum += size;
    }
    const limit = Math.min(most, ((await navigator.storage.estimate()).quota ?? 0) / 10);
    for (const [, name, size] of list.sort((a, b) => a[0] - b[0])) if (sum > limit) sum -= size, await drop(await all(false), name);
  };

  // sweep removes what other sessions of a context have left, and what is old.
  const sweep = async (context, session) => {
    const mine = `${text(context)},`;
    for await (const [name, file, there] of files()) {
      const others = name.startsWith(mine) && !name.startsWith(`${mine}${session},`);
      if (others || Date.now() - (await file.getFile()).lastModified > longest) await drop(there, name);
    }
  };

  const create = async (context, name) => {
    const place = of(context), id = `${text(context)},${place.session},${name}`;
    const stream = await (await (await all(true)).getFileHandle(id, { create: true })).createWritable();
    let at = 0;
    const put = async (bytes, last) => {
      const iv = crypto.getRandomValues(new Uint8Array(12)), packed = await through(bytes, new CompressionStream("gzip"));
      const sealed = new Uint8Array(await crypto.subtle.encrypt(cipher(place, name, iv, at++, last), place.key, packed));
      const head = new Uint8Array(16);
      new DataView(head.buffer).setUint32(0, sealed.length);
      head.set(iv, 4);
      await stream.write(head);
      await stream.write(sealed);
    };
    return {
      put: (bytes) => put(bytes, false),
      commit: async () => {
        await put(new Uint8Array(0), true);
        if (places[context] !== place) throw new Error("the session has ended");
        await stream.close(); // from here on the file is the new one
        await room();
      },
      abort: () => stream.abort().catch(() => {}),
    };
  };

  const recent = ({ size, lastModified }) => size > 0 && Date.now() - lastModified <= longest;
  const load = async (id) => {
    const file = await (await all(false).catch(() => null))?.getFileHandle(id).then((handle) => handle.getFile(), () => null);
    return file && recent(file) ? file.arrayBuffer() : null;
  };
  const read = async (context, name) => {
    const place = of(context), id = `${text(context)},${place.session},${name}`;
    const early = loading?.id === id && loading.bytes;
    if (early) loading = null;
    const loaded = await (early || load(id));
    if (!loaded) return null;
    const bytes = new Uint8Array(loaded);
    let from = 0, at = 0;
    const unseal = async () => {
      const length = new DataView(bytes.buffer).getUint32(from), iv = bytes.subarray(from + 4, from + 16), sealed = bytes.subarray(from + 16, (from += 16 + length));
      const last = from === bytes.length;
      const packed = await crypto.subtle.decrypt(cipher(place, name, iv, at++, last), place.key, sealed);
      return last ? null : through(packed, new DecompressionStream("gzip"));
    };
    const block = () => unseal().catch(async (e) => { await drop(await all(false), id); throw e; }); // it will never be readable
    let ahead = block(); // one block is prepared while the program reads the one before
    ahead.catch(() => {});
    return {
      next: async () => {
        const now = await ahead;
        if (now) (ahead = block()).catch(() => {});
        return now;
      },
    };
  };

  return {
    // session says which session a context has. The page tells it before the proxy gives the key.
    session: (context, name) => { sessions[context] = name; },
    // has reports whether there may be a visit of a resource, in all namespaces that the proxy serves.
    has: async (context, resource) => {
      if (!able || !sessions[context]) return false;
      const begins = `${text(context)},${sessions[context]},${text(resource)},,`;
      for await (const [name, file] of files()) {
        if (!name.startsWith(begins) || name.endsWith(".crswap")) continue; // Chromium writes those, and then renames them
        const is = await file.getFile();
        if (!recent(is)) continue;
        loading = { id: name, bytes: is.arrayBuffer() }; // while the program is still compiling
        loading.bytes.catch(() => {});
        return true;
      }
      return false;
    },
    open: async (context, key, about) => {
      if (!able) throw new Error(off);
      const session = sessions[context];
      if (!session) throw new Error("the session has no name");
      const raw = Uint8Array.from(atob(key), (c) => c.charCodeAt(0));
      places[context] = { session, about, key: await crypto.subtle.importKey("raw", raw, "AES-GCM", false, ["encrypt", "decrypt"]) };
      raw.fill(0);
      sweep(context, session).catch(() => {}); // nobody waits for it
    },
    create,
    read,
    clear: async (context) => {
      delete places[context];
      for await (const [name, , there] of files()) if (name.startsWith(`${text(context)},`)) await drop(there, name);
    },
  };
})();
