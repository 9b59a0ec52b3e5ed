//! Records of JSON: objects of a list, or one a line.
