package object

// The kinds by which drivers of storage say what they do.

func csiNodes(release) *printer { return named().count("Drivers", "spec.drivers[]").age().printer() }

func csiDrivers(release) *printer {
	return named().
		flag("AttachRequired", "spec.attachRequired", "true", "false", "true").
		yes("PodInfoOnMount", "spec.podInfoOnMount").
		yes("StorageCapacity", "spec.storageCapacity").
		texts("TokenRequests", "spec.tokenRequests[].audience", unset).
		yes("RequiresRepublish", "spec.requiresRepublish").
		texts("Modes", "spec.volumeLifecycleModes[]", none).
		age().
		printer()
}

// csiStorageCapacities have columns that the server does not use.
func csiStorageCapacities(release) *printer { return named().created().printer() }

func volumeAttachments(release) *printer {
	return named().
		text("Attacher", "spec.attacher", "").
		text("PV", "spec.source.persistentVolumeName", "").
		text("Node", "spec.nodeName", "").
		yes("Attached", "status.attached").
		age().
		printer()
}

func volumeAttributesClasses(release) *printer {
	return named().text("DriverName", "driverName", "").age().printer()
}
