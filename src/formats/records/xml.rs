//! Records of XML: items of RSS, entries of Atom.
