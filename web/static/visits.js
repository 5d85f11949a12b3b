// Saves lists for the next visit in the browser's private files (OPFS), encrypted with a key that the proxy
// gives to the session only. Another session, context or build cannot read them. A file is a list of blocks:
//
//	length, nonce, and the block: compressed, then encrypted with its place and whether it is the last
"use strict";
self.watchglassVisits = (() => {
  const { base, frame, alone, program } = JSON.parse(self.name), folder = `watchglass-visit-${encodeURIComponent(base)}`;
  const most = 256 * 2 ** 20, longest = 24 * 60 * 60 * 1000; // of all files, in bytes; of one, in milliseconds
  const able = !frame && !alone && !!navigator.storage?.getDirectory && !!crypto.subtle && !!self.CompressionStream && !!self.FileSystemFileHandle?.prototype.createWritable;
  const opened = Object.create(null); // the folder that the program uses, by context
  let loading; // the file that is needed first

  const all = async (create) => (await navigator.storage.getDirectory()).getDirectoryHandle(folder, { create });
  const files = async function* () {
    const there = able && (await all(false).catch(() => null));
    if (there) for await (const [name, file] of there.entries()) yield [name, file, there];
  };
  const text = encodeURIComponent; // it leaves no comma
  const drop = (there, name) => there.removeEntry(name).catch(() => {}); // one that is being written stays, and is not committed
  const through = async (bytes, transform) => new Uint8Array(await new Response(new Response(bytes).body.pipeThrough(transform)).arrayBuffer());
  const recent = ({ size, lastModified }) => size > 0 && Date.now() - lastModified <= longest;
  const removeIf = async (gone) => {
    for await (const [name, file, there] of files()) if (await gone(name, file)) await drop(there, name);
  };
  const old = async (name, file) => Date.now() - (await file.getFile()).lastModified > longest;
  if (able) setTimeout(() => removeIf(old).catch(() => {}), 60_000); // those of contexts that nobody opens

  const limit = async () => Math.min(most, ((await navigator.storage.estimate()).quota ?? 0) / 10);
  // room deletes the oldest files until the rest fit.
  const room = async () => {
    const list = [], fits = await limit();
    let sum = 0;
    for await (const [name, file] of files()) {
      const { size, lastModified } = await file.getFile();
      list.push([lastModified, name, size]);
      sum += size;
    }
    for (const [, name, size] of list.sort((a, b) => a[0] - b[0])) if (sum > fits) sum -= size, await drop(await all(false), name);
  };

  // visits returns the folder of a session. Its key is used for nothing else.
  const visits = (context, session, key, about, life = { over: false }) => {
    const mine = `${text(context)},${session},`;
    const check = () => { if (life.over) throw new Error("the session is over"); };
    const cipher = (name, iv, at, last) => ({ name: "AES-GCM", iv, additionalData: new TextEncoder().encode(JSON.stringify([program, session, about, name, at, last])) });

    const create = async (name) => {
      check();
      const there = await all(true), fits = await limit(), stream = await (await there.getFileHandle(mine + name, { create: true })).createWritable();
      let at = 0, written = 0;
      const put = async (bytes, last) => {
        check();
        const iv = crypto.getRandomValues(new Uint8Array(12)), packed = await through(bytes, new CompressionStream("gzip"));
        const sealed = new Uint8Array(await crypto.subtle.encrypt(cipher(name, iv, at++, last), key, packed));
        const head = new Uint8Array(16);
        new DataView(head.buffer).setUint32(0, sealed.length);
        head.set(iv, 4);
        if ((written += head.length + sealed.length) > fits) throw new Error("the list is larger than the storage that the browser grants"); // it would displace all others, and then itself
        await stream.write(new Blob([head, sealed]));
      };
      return {
        put: (bytes) => put(bytes, false),
        commit: async () => {
          await put(new Uint8Array(0), true);
          check();
          await stream.close(); // from here on the file is the new one
          if (life.over) await drop(there, mine + name);
          await room();
          const [resource, namespace] = name.split(",");
          if (!namespace) self.watchglassVisits.onSaved(context, decodeURIComponent(resource));
        },
        abort: () => stream.abort().catch(() => {}),
      };
    };

    const load = async (id) => {
      const file = await (await all(false).catch(() => null))?.getFileHandle(id).then((handle) => handle.getFile(), () => null);
      return file && recent(file) ? file.arrayBuffer() : null;
    };
    const read = async (name) => {
      check();
      const early = loading?.id === mine + name && loading.bytes;
      if (early) loading = null;
      const loaded = await (early || load(mine + name));
      if (!loaded) return null;
      const bytes = new Uint8Array(loaded);
      let from = 0, at = 0;
      const unseal = async () => {
        check();
        const length = new DataView(loaded).getUint32(from), iv = bytes.subarray(from + 4, from + 16), sealed = bytes.subarray(from + 16, (from += 16 + length));
        const last = from === bytes.length, packed = await crypto.subtle.decrypt(cipher(name, iv, at++, last), key, sealed);
        return last ? null : through(packed, new DecompressionStream("gzip"));
      };
      const block = () => unseal().catch(async (e) => { await remove(name); throw e; }); // it cannot become readable
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

    const remove = async (name) => {
      const there = await all(false).catch(() => null), [resource] = name.split(",");
      if (there) await Promise.all([name, glimpseOf(decodeURIComponent(resource))].map((gone) => drop(there, mine + gone)));
    };
    const close = () => { life.over = true; removeIf((name) => name.startsWith(mine)).catch(() => {}); };
    return { create, read, remove: (name) => void remove(name).catch(() => {}), close, of: (about) => visits(context, session, key, about, life) };
  };
  const keyed = async (given) => {
    const [session, secret] = given.split(" "), raw = Uint8Array.from(atob(secret), (c) => c.charCodeAt(0));
    const key = await crypto.subtle.importKey("raw", raw, "AES-GCM", false, ["encrypt", "decrypt"]);
    raw.fill(0);
    return [session, key];
  };

  // A glimpse is what a list looked like when it was saved. Only a page of the same cluster and user gets it.
  const glimpseOf = (resource) => `glimpse,${text(resource)}`;
  const seenBy = ({ page, context, cluster, user, server, auth, namespace, narrow, namespaces, reach }) => JSON.stringify([page, context, cluster, user, server, auth, namespace, narrow, namespaces, reach]);

  return {
    // has reports whether there may be a visit of a resource, in all namespaces that the proxy serves.
    has: async (context, session, resource) => {
      const begins = `${text(context)},${session},${text(resource)},,`;
      for await (const [name, file] of files()) {
        if (!name.startsWith(begins) || name.endsWith(".crswap")) continue; // Chromium writes those, and then renames them
        const is = await file.getFile();
        if (!recent(is)) continue;
        const mine = (loading = { id: name, bytes: is.arrayBuffer() }); // while the program is still compiling
        mine.bytes.catch(() => {});
        setTimeout(() => { if (loading === mine) loading = null; }, 30_000); // nobody wanted it
        return true;
      }
      return false;
    },
    // open opens the folder of a session, whose name is before its key.
    open: async (context, given, about) => {
      if (!able) throw new Error("private browser storage (OPFS) is not available in this window");
      const [session, key] = await keyed(given);
      removeIf((name) => name.startsWith(`${text(context)},`) && !name.startsWith(`${text(context)},${session},`)).catch(() => {}); // nobody waits for it
      return (opened[context] = visits(context, session, key, about));
    },
    // glimpse returns the glimpse of a list for a session, or null. The program need not run.
    glimpse: async (context, session, welcome, resource) => {
      if (!able || !welcome?.visitKey?.startsWith(`${session} `)) return null;
      const [, key] = await keyed(welcome.visitKey), file = await visits(context, session, key, seenBy(welcome)).read(glimpseOf(resource));
      return file && file.next();
    },
    // saveGlimpse saves the glimpse of a list that the program has saved.
    saveGlimpse: async (context, welcome, resource, bytes) => {
      const file = await opened[context].of(seenBy(welcome)).create(glimpseOf(resource));
      await file.put(bytes).then(file.commit).catch(file.abort);
    },
    onSaved: () => {}, // set by worker.js: the program has saved a list, in all namespaces
    clear: () => void removeIf(() => true).catch(() => {}),
  };
})();
