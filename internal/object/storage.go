package object

// Kinds for storage.

// unset is what kubectl prints for a choice that was not made.
const unset = "<unset>"

func persistentVolumes(r release) *printer {
	s := namedPrinter()
	return s.
		cell("Capacity", TextCell, storage(s, "spec.capacity{}")).
		cell("Access Modes", TextCell, accessModes(s, "spec.accessModes[]")).
		text("Reclaim Policy", "spec.persistentVolumeReclaimPolicy", "").
		cell("Status", TextCell, volumePhase(s)).
		pair("Claim", "spec.claimRef", "namespace", "name", "").
		cell("StorageClass", TextCell, volumeClass(s)).
		attributesClass(r).
		text("Reason", "status.reason", "").
		age().
		wide().optional("VolumeMode", "spec.volumeMode", unset).
		printer()
}

// attributesClass adds a column with the class of a volume's attributes, which old servers do
// not print.
func (s *printerBuilder) attributesClass(r release) *printerBuilder {
	if r.before(29) {
		return s
	}
	return s.optional("VolumeAttributesClass", "spec.volumeAttributesClassName", unset)
}

func persistentVolumeClaims(r release) *printer {
	s := namedPrinter()
	volume := s.paths.add("spec.volumeName")
	bound := func(print cell) cell { // empty unless it is bound
		return func(v *Values, o *Object, r *row) {
			if len(v.Bytes(volume)) == 0 {
				r.next()
				return
			}
			print(v, o, r)
		}
	}
	return s.
		cell("Status", TextCell, volumePhase(s)).
		text("Volume", "spec.volumeName", "").
		cell("Capacity", TextCell, bound(storage(s, "status.capacity{}"))).
		cell("Access Modes", TextCell, bound(accessModes(s, "status.accessModes[]"))).
		cell("StorageClass", TextCell, volumeClass(s)).
		attributesClass(r).
		age().
		wide().optional("VolumeMode", "spec.volumeMode", unset).
		printer()
}

// storage prints the amount of storage in a list of resources, as the server wrote it.
func storage(s *printerBuilder, resources string) cell {
	slot := s.paths.add(resources)
	return func(v *Values, _ *Object, r *row) {
		r.next()
		r.amountOf(v.All(slot), []byte("storage"))
	}
}

// modes are the access modes of a volume, in kubectl's order and abbreviated as in kubectl.
var modes = []struct{ mode, short string }{
	{"ReadWriteOnce", "RWO"}, {"ReadOnlyMany", "ROX"}, {"ReadWriteMany", "RWX"}, {"ReadWriteOncePod", "RWOP"},
}

func accessModes(s *printerBuilder, path string) cell {
	slot := s.paths.add(path)
	return func(v *Values, _ *Object, r *row) {
		r.next()
		n := 0
		for _, m := range modes {
			if _, has := firstOf(v, slot, m.mode, slot); has {
				r.listItem(n, []byte(m.short))
				n++
			}
		}
	}
}

func volumePhase(s *printerBuilder) cell {
	phase := s.paths.add("status.phase")
	return func(v *Values, o *Object, r *row) {
		if o.deleting {
			r.next()
			r.literal("Terminating")
			return
		}
		r.cell(v.Bytes(phase))
	}
}

// volumeClass prints the class of a volume or claim. The annotation that is older than the
// field takes precedence.
func volumeClass(s *printerBuilder) cell {
	class, old := s.paths.add("spec.storageClassName"), s.annotation("volume.beta.kubernetes.io/storage-class")
	return func(v *Values, _ *Object, r *row) {
		if text, found := old(v); found {
			r.cell(text)
			return
		}
		r.cell(v.Bytes(class))
	}
}

func storageClasses(release) *printer {
	return new(printerBuilder).
		defaultName("storageclass.kubernetes.io/is-default-class", "storageclass.beta.kubernetes.io/is-default-class").
		text("Provisioner", "provisioner", "").
		optional("ReclaimPolicy", "reclaimPolicy", "Delete").
		optional("VolumeBindingMode", "volumeBindingMode", "Immediate").
		boolean("AllowVolumeExpansion", "allowVolumeExpansion").
		age().
		printer()
}
