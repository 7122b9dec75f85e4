package change

import "io"

// names lists what is in d, in no order, up to most names; more tells that there are others.
func (d *dir) names(most int) (list []string, more bool, err error) {
	f, err := d.listing()
	if err != nil {
		return nil, false, err
	}
	defer f.Close()
	list, err = f.Readdirnames(most + 1)
	if err == io.EOF {
		err = nil
	}
	if len(list) > most {
		return list[:most], true, err
	}
	return list, false, err
}

// empty reports that nothing is in the directory called name.
func (d *dir) empty(name string) (bool, error) {
	sub, err := d.enter(name)
	if err != nil {
		return false, err
	}
	defer sub.close()
	list, _, err := sub.names(1)
	return len(list) == 0, err
}
