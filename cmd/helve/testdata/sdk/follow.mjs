// An official client that follows resources:
//   node follow.mjs MODULES sdk|client HELVE WORKSPACE URI…
// It prints a line when it follows all of them, then the address of each that it is told has changed, until its input
// ends.
import { connect, load } from "./connect.mjs";

const [modules, which, helve, workspace, ...uris] = process.argv.slice(2);
const client = await connect(modules, which, helve, ["serve", "-C", workspace]);
const told = (notice) => console.log(notice.params.uri);
if (which === "sdk") {
  const { ResourceUpdatedNotificationSchema } = await load(modules, "sdk/dist/esm/types.js");
  client.setNotificationHandler(ResourceUpdatedNotificationSchema, told);
  for (const uri of uris) await client.subscribeResource({ uri });
} else {
  client.setNotificationHandler("notifications/resources/updated", told);
  await client.listen({ resourceSubscriptions: uris });
}
console.log("following");
process.stdin.resume().on("end", () => client.close());
