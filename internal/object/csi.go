package object

// Kinds by which storage drivers describe themselves.

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

// csiStorageCapacities prints the default columns: the server defines others but does not use
// them.
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
