package drafting_test

import (
	"encoding/json"
	"fmt"

	"helve/tool/drafting"
)

// What stands above a difference says who made which calls.
func Example() {
	made := []string{
		drafting.CallText("write", json.RawMessage(`{"file_path":"a.txt"}`)),
		drafting.CallText("bash", json.RawMessage(`{"command":"sort -o a.txt a.txt"}`)),
	}
	fmt.Print(drafting.About("The model", made, ""))
	// Output:
	// The model made 2 calls:
	//   write {"file_path":"a.txt"}
	//   bash {"command":"sort -o a.txt a.txt"}
}
