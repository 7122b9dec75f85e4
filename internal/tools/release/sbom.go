package main

import (
	"debug/buildinfo"
	"io"
	"runtime/debug"
	"time"

	cdx "github.com/CycloneDX/cyclonedx-go"
)

// sbom writes what the program is made of, as the program itself knows it: the modules that were
// linked in.
func (r *release) sbom() error {
	info, err := buildinfo.ReadFile(r.binary(r.targets[0]))
	if err != nil {
		return err
	}
	bom := r.bom(info)
	return r.writeFile(program+"_"+r.version+".cdx.json", func(w io.Writer) error {
		return cdx.NewBOMEncoder(w, cdx.BOMFileFormatJSON).SetPretty(true).Encode(bom)
	})
}

// bom lists the standard library and every module below the program. A module that another replaces
// is named as what stands in its place: that is what was linked.
func (r *release) bom(info *debug.BuildInfo) *cdx.BOM {
	bom := cdx.NewBOM()
	licence := cdx.Licenses{{License: &cdx.License{ID: "Apache-2.0"}}}
	bom.Metadata = &cdx.Metadata{
		Timestamp: r.time.Format(time.RFC3339),
		Component: &cdx.Component{
			Type:     cdx.ComponentTypeApplication,
			Name:     program,
			Version:  r.version,
			Licenses: &licence,
		},
	}
	parts := []cdx.Component{{
		Type:       cdx.ComponentTypeLibrary,
		Name:       "std",
		Version:    info.GoVersion,
		PackageURL: "pkg:golang/std@" + info.GoVersion,
	}}
	for _, d := range info.Deps {
		if d.Replace != nil {
			d = d.Replace
		}
		purl := "pkg:golang/" + d.Path + "@" + d.Version
		parts = append(parts, cdx.Component{
			Type:       cdx.ComponentTypeLibrary,
			BOMRef:     purl,
			Name:       d.Path,
			Version:    d.Version,
			PackageURL: purl,
		})
	}
	bom.Components = &parts
	return bom
}
