package config

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strconv"
	"strings"
)

// CheckHost tells why an entry of fetch.allow_private can be no host: nil for an address, a network, a name or *.name,
// each with or without a port.
func CheckHost(entry string) error {
	host := strings.ToLower(strings.TrimSpace(entry))
	if _, after, isURL := strings.Cut(host, "://"); isURL {
		after, _, _ = strings.Cut(after, "/")
		return fmt.Errorf("%q is an address with a scheme: write the host alone, %s", shorten(entry), shorten(after))
	}
	if h, port, err := net.SplitHostPort(host); err == nil {
		n, err := strconv.Atoi(port)
		if err != nil || n < 1 || n > 65535 || strconv.Itoa(n) != port {
			return fmt.Errorf("%q: want a port from 1 to 65535", shorten(entry))
		}
		host = h
	}
	if err := checkName(strings.Trim(host, "[]")); err != nil {
		return fmt.Errorf("%q can be no host: %w", shorten(entry), err)
	}
	return nil
}

// checkName is CheckHost for what stands before a port.
func checkName(host string) error {
	if _, err := netip.ParsePrefix(host); err == nil {
		return nil
	}
	if a, err := netip.ParseAddr(host); err == nil {
		if a.Zone() != "" {
			return errors.New("an address with a zone is never fetched")
		}
		return nil
	}
	if strings.Contains(host, "/") {
		return errors.New("a network is written as 10.0.0.0/8, a host without a path")
	}
	labels := strings.Split(strings.TrimPrefix(host, "*."), ".")
	for _, label := range labels {
		if err := checkLabel(label); err != nil {
			return err
		}
	}
	if _, err := strconv.Atoi(labels[len(labels)-1]); err == nil {
		return errors.New("an address is written as 10.0.0.7")
	}
	return nil
}

// checkLabel tells why a part of a name between two dots cannot be one.
func checkLabel(label string) error {
	if label == "" {
		return errors.New("a part of its name is empty")
	}
	for _, r := range label {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9', r == '-', r == '_':
		case r == '*':
			return errors.New("* stands only at its beginning, as in *.corp.example")
		case r > 127:
			return errors.New("a name in another alphabet is written in its form for the network, xn--…")
		default:
			return fmt.Errorf("it has a %q", r)
		}
	}
	return nil
}
