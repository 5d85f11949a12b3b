// Stores segments of history on disk, in the browser's private files (OPFS), encrypted with a key that
// never leaves this worker and ends with it. Without the key a file is noise. The next worker removes
// files that are left behind, unread.
"use strict";
self.watchglassDisk = (() => {
  const { base } = JSON.parse(self.name), most = 512 * 2 ** 20, folder = `watchglass-history-${encodeURIComponent(base)}`;
  const mine = [...crypto.getRandomValues(new Uint8Array(8))].map((b) => b.toString(16).padStart(2, "0")).join("");
  const nonces = new Map();
  let key = null, home = null, held = null;

  const all = async (create) => (await navigator.storage.getDirectory()).getDirectoryHandle(folder, { create });
  const lock = (name) => `watchglass:disk:${name}`;
  // Each worker holds the lock of its own folder. A folder whose lock is free belongs to a worker that has ended.
  const hold = () => (held ??= new Promise((done, fail) => navigator.locks.request(lock(mine), () => (done(), new Promise(() => {}))).catch(fail)));
  const sweep = async () => {
    const files = await all(false).catch(() => null);
    if (!files) return;
    for await (const name of files.keys()) {
      if (name !== mine) await navigator.locks.request(lock(name), { ifAvailable: true }, (free) => free && files.removeEntry(name, { recursive: true }));
    }
  };
  const remove = async () => {
    key = home = null;
    nonces.clear();
    await (await all(false)).removeEntry(mine, { recursive: true });
  };
  const through = async (bytes, transform) => new Uint8Array(await new Response(new Response(bytes).body.pipeThrough(transform)).arrayBuffer());
  const cipher = (id, iv) => ({ name: "AES-GCM", iv, additionalData: new TextEncoder().encode(`${mine} ${id}`) });
  const write = async (file, bytes) => {
    if (file.createSyncAccessHandle) { // dedicated workers only
      const handle = await file.createSyncAccessHandle();
      try {
        handle.truncate(0);
        if (handle.write(bytes, { at: 0 }) !== bytes.length) throw new Error("the disk is full");
        handle.flush();
      } finally { handle.close(); }
      return;
    }
    const stream = await file.createWritable();
    await stream.write(bytes).then(() => stream.close()).catch(async (e) => { await stream.abort().catch(() => {}); throw e; });
  };

  // create creates a file. Signing out of any cluster removes the folder, and this worker may still show others.
  const create = (name) => home.getFileHandle(name, { create: true }).catch(async () => {
    home = await (await all(true)).getDirectoryHandle(mine, { create: true });
    return home.getFileHandle(name, { create: true });
  });

  // Calls take effect in the order in which they begin.
  let last = Promise.resolve();
  const inTurn = (f) => (...args) => {
    const done = last.then(() => f(...args));
    last = done.catch(() => {});
    return done;
  };
  const disk = {
    open: async () => {
      if (!self.isSecureContext) throw new Error("browsers offer private storage (OPFS) only over HTTPS");
      if (!navigator.storage?.getDirectory || !navigator.locks || !crypto.subtle || !self.CompressionStream) throw new Error("private browser storage (OPFS) is not available in this window");
      await remove().catch(() => {});
      await hold();
      home = await (await all(true)).getDirectoryHandle(mine, { create: true });
      key = await crypto.subtle.generateKey({ name: "AES-GCM", length: 256 }, false, ["encrypt", "decrypt"]);
      const { quota = 0 } = await navigator.storage.estimate();
      return Math.min(most, Math.floor(quota / 10));
    },
    put: async (id, bytes) => {
      if (!key) throw new Error("the history files were removed");
      const iv = crypto.getRandomValues(new Uint8Array(12));
      const packed = await through(bytes, new CompressionStream("gzip"));
      const sealed = new Uint8Array(await crypto.subtle.encrypt(cipher(id, iv), key, packed));
      await write(await create(String(id)), sealed);
      nonces.set(id, iv);
      return sealed.length;
    },
    get: async (id) => {
      if (!key || !nonces.has(id)) throw new Error("the history file was removed");
      const sealed = await (await (await home.getFileHandle(String(id))).getFile()).arrayBuffer();
      return through(await crypto.subtle.decrypt(cipher(id, nonces.get(id)), key, sealed), new DecompressionStream("gzip"));
    },
    drop: async (id) => {
      nonces.delete(id);
      await home?.removeEntry(String(id)).catch(() => {});
    },
    clear: () => remove().catch(() => {}),
  };
  for (const name of Object.keys(disk)) disk[name] = inTurn(disk[name]);
  if (navigator.storage?.getDirectory && navigator.locks) inTurn(sweep)().catch(() => {}); // private windows may refuse
  return disk;
})();
