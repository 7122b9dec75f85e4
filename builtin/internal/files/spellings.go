package files

import (
	"maps"

	"helve/builtin/internal/doc"
	"helve/engine/schema"
)

// fileParams are the spellings of file_path in other tool sets, and more.
func fileParams(more map[string]string) map[string]string {
	out := map[string]string{
		"path":                    "file_path",
		"file":                    "file_path",
		"filename":                "file_path",
		"filepath":                "file_path",
		"absolute_path":           "file_path",
		"target_file":             "file_path",
		"relative_workspace_path": "file_path",
	}
	maps.Copy(out, more)
	return out
}

// readParams has two kinds of numbers: offset and its like count from 0, first lines from 1.
func readParams() map[string]string {
	return fileParams(map[string]string{
		"paths":                          "file_paths",
		"files":                          "file_paths",
		"line_offset":                    "offset",
		"start":                          "offset",
		"n_lines":                        "limit",
		"max_lines":                      "limit",
		"num_lines":                      "limit",
		"line_start":                     "start_line",
		"first_line":                     "start_line",
		"start_line_one_indexed":         "start_line",
		"line_end":                       "end_line",
		"last_line":                      "end_line",
		"end_line_one_indexed_inclusive": "end_line",
	})
}

func readWords() map[string]schema.Spelling {
	return doc.WithProgress(map[string]schema.Spelling{
		"mode":                    {Only: `"slice"`},
		"view_range":              {Each: []string{"start_line", "end_line"}},
		"line_range":              {Each: []string{"start_line", "end_line"}},
		"should_read_entire_file": {Only: "false"}, // a long file comes in parts
	})
}

func writeParams() map[string]string {
	return fileParams(map[string]string{
		"content":      "contents",
		"text":         "contents",
		"file_text":    "contents",
		"data":         "contents",
		"new_content":  "contents",
		"file_content": "contents",
	})
}

// writeWords understands modes as open(2) and other tools have them. A directory that is missing is always made.
func writeWords() map[string]schema.Spelling {
	return doc.WithProgress(map[string]schema.Spelling{
		"overwrite": {To: "create_only", Not: true},
		"mode": {To: "append", Words: map[string]string{
			"a":         "true",
			"append":    "true",
			"w":         "false",
			"write":     "false",
			"overwrite": "false",
		}},
		"create_directories": {Only: "true"},
		"create_dirs":        {Only: "true"},
	})
}

func editParams() map[string]string {
	return fileParams(map[string]string{
		"old_str":        "old_string",
		"old_text":       "old_string",
		"old":            "old_string",
		"new_str":        "new_string",
		"new_text":       "new_string",
		"new":            "new_string",
		"search":         "old_string",
		"replace":        "new_string",
		"all":            "replace_all",
		"allow_multiple": "replace_all",
	})
}

func editWords() map[string]schema.Spelling {
	return doc.WithProgress(map[string]schema.Spelling{
		"instruction":           {Moot: "old_string and new_string say it"},
		"instructions":          {Moot: "old_string and new_string say it"},
		"expected_replacements": {Only: "1"}, // more than one cannot be held to
	})
}

func multiEditWords() map[string]schema.Spelling {
	return doc.WithProgress(map[string]schema.Spelling{
		"edits[].old_str":  {To: "old_string"},
		"edits[].old_text": {To: "old_string"},
		"edits[].new_str":  {To: "new_string"},
		"edits[].new_text": {To: "new_string"},

		"edits[].original_lines": {To: "old_string"},
		"edits[].updated_lines":  {To: "new_string"},
	})
}

func lsParams() map[string]string {
	return map[string]string{
		"directory":               "path",
		"dir":                     "path",
		"dir_path":                "path",
		"directory_path":          "path",
		"file_path":               "path",
		"target_directory":        "path",
		"relative_workspace_path": "path",
		"max_depth":               "depth",
		"level":                   "depth",
	}
}

// lsWords has recursive show as deep as ls goes. A list of what to ignore is not honoured, so only an empty one is
// taken.
func lsWords() map[string]schema.Spelling {
	return doc.WithProgress(map[string]schema.Spelling{
		"recursive": {To: "depth", Words: map[string]string{"true": "20", "false": "1"}},
		"ignore":    {Only: "[]"},
	})
}

func globParams() map[string]string {
	return map[string]string{
		"directory":        "path",
		"dir":              "path",
		"dir_path":         "path",
		"target_directory": "path",
		"glob":             "pattern",
		"glob_pattern":     "pattern",
		"query":            "pattern",
		"max_results":      "limit",
		"head_limit":       "limit",
		"ignore":           "exclude",
		"exclude_pattern":  "exclude",
	}
}

// globWords takes what glob does anyway, and refuses its opposite.
func globWords() map[string]schema.Spelling {
	return doc.WithProgress(map[string]schema.Spelling{
		"case_sensitive":     {Only: "true"},
		"recursive":          {Only: "true", Else: "a pattern without ** matches at any depth"},
		"respect_git_ignore": {Only: "true"},
	})
}

// grepParams are ripgrep's options and the parameters of other tools.
func grepParams() map[string]string {
	return map[string]string{
		"-i":                "ignore_case",
		"-A":                "after",
		"-B":                "before",
		"-C":                "context",
		"-w":                "word",
		"-e":                "pattern",
		"-g":                "include",
		"-t":                "type",
		"-U":                "multiline",
		"-m":                "head_limit",
		"regex":             "pattern",
		"query":             "pattern",
		"glob":              "include",
		"include_pattern":   "include",
		"file_pattern":      "include",
		"exclude_pattern":   "exclude",
		"directory":         "path",
		"dir_path":          "path",
		"file_path":         "path",
		"target_directory":  "path",
		"case_insensitive":  "ignore_case",
		"whole_word":        "word",
		"context_lines":     "context",
		"before_context":    "before",
		"after_context":     "after",
		"file_type":         "type",
		"limit":             "head_limit",
		"max_results":       "head_limit",
		"max_matches":       "head_limit",
		"max_count":         "head_limit",
		"total_max_matches": "head_limit",
	}
}

// grepWords understands the modes of other tools; what this grep cannot do is taken only where it is switched off.
func grepWords() map[string]schema.Spelling {
	files := map[string]string{"true": "files", "false": "lines"}
	return doc.WithProgress(map[string]schema.Spelling{
		"output_mode": {To: "mode", Words: map[string]string{
			"content":            "lines",
			"lines":              "lines",
			"files_with_matches": "files",
			"files":              "files",
			"count":              "count",
		}},
		"names_only":     {To: "mode", Words: files},
		"-l":             {To: "mode", Words: files},
		"-c":             {To: "mode", Words: map[string]string{"true": "count", "false": "lines"}},
		"-s":             {To: "ignore_case", Not: true},
		"case_sensitive": {To: "ignore_case", Not: true},
		"is_regex":       {Only: "true"},
		"is_regexp":      {Only: "true"},
		"-n":             {Only: "true", Else: "every line has its number"},
		"line_numbers":   {Only: "true", Else: "every line has its number"},
		"-H":             {Only: "true", Else: "every line has its path"},
		"-h":             {Only: "false", Else: "every line has its path"},
		"-r":             {Only: "true", Else: "folders are searched with all that is in them"},
		"-R":             {Only: "true", Else: "folders are searched with all that is in them"},
		"recursive":      {Only: "true", Else: "folders are searched with all that is in them"},
		"-E":             {Only: "true", Else: "the pattern is read as RE2"},
		"-P":             {Only: "false", Else: "the pattern is read as RE2"},
		"-x":             {Only: "false"},
		"-L":             {Only: "false"},
		"-o":             {Only: "false"},
		"fixed_strings":  {Only: "false"},
		"fixed_string":   {Only: "false"},
		"literal":        {Only: "false"},
		"-F":             {Only: "false"},
		"-v":             {Only: "false"}, // to ignore what turns the question round would answer another one
		"invert":         {Only: "false"},
		"invert_match":   {Only: "false"},
		"no_ignore":      {Only: "false"},
	})
}
