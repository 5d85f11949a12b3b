package stage

// diskFiles lists what the browser has of the page's history: folders, and files as "folder/file".
const diskFiles = `(async () => {
	const found = [];
	for await (const [name, all] of (await navigator.storage.getDirectory()).entries()) {
		if (!name.startsWith("watchglass-history-")) continue;
		try {
			for await (const [folder, files] of all.entries()) {
				found.push(folder);
				for await (const file of files.keys()) found.push(folder + "/" + file);
			}
		} catch (e) {
			if (e.name !== "NotFoundError") throw e; // it was removed meanwhile
		}
	}
	return found;
})()`

// DiskFiles returns what the browser has of the page's history: folders, and files as "folder/file".
func (e Eyes) DiskFiles() []string {
	e.T.Helper()
	return Eval[[]string](e, diskFiles)
}

// ChooseDisk clicks the choice to keep history on disk, and waits until it is on or off.
func (e Eyes) ChooseDisk(on string) {
	e.T.Helper()
	const choice = `#view-popover [data-action=disk]`
	e.Must(e.Click("#view-menu"))
	e.Await(`document.querySelector("` + choice + `").checkVisibility()`)
	e.Must(e.Click(choice))
	e.Await(`document.querySelector("` + choice + `").ariaPressed === "` + on + `"`)
	e.Await(`watchglass.inspect().then((i) => i.history.disk.on === ` + on + `)`)
}
