using Xunit;

namespace Pipeline.Etl.Tests.Configuration;

/// <summary>
/// Broken files: a name, the YAML, and every line of its errors. The connectors are those of
/// <see cref="ProbeDefinition.Catalog"/>.
/// </summary>
public static class BrokenConfigurations
{
    internal const string Head = "version: 1\ndatabase: { name: a, path: . }\n";
    internal const string Connection = Head + "connections:\n  c: { probe: { name: n } }\n";

    // Line 6 on: the keys of one task.
    internal const string OneTask =
        Connection + "etl:\n  - name: t\n    from: [Orders]\n    to: c\n    transform: send(\"x\", doc);\n";

    public static TheoryData<string, string, string> Files()
    {
        var data = new TheoryData<string, string, string>();
        void Add(string name, string yaml, params string[] expected) =>
            data.Add(name, yaml, string.Join('\n', expected));

        Add("empty", "", "f:1:1: the file is empty; start it with 'version: 1'");
        Add("comment only", "# nothing\n", "f:1:1: the file is empty; start it with 'version: 1'");
        Add("a list", "- 1\n", "f:1:1: the file must be a mapping of keys to values, found a list");
        Add("a word", "hello", "f:1:1: the file must be a mapping of keys to values, found 'hello'");
        Add(
            "version missing",
            "database: { name: a, path: . }\n",
            "f:1:1: version is missing; it is required: version of this file's format: 1"
        );
        Add(
            "version from the future",
            "version: 2\ndatabase: { name: a, path: . }\n",
            "f:1:10: version 2 is not supported; this program reads version 1"
        );
        Add(
            "version from the future and other faults",
            "version: 2\ndatabase: { name: a, pth: . }\nimport: a.jsonl\n",
            "f:1:10: version 2 is not supported; this program reads version 1",
            "f:2:1: database.path is missing; it is required: folder of the data, relative to this file",
            "f:2:22: unknown key 'pth' in database; did you mean 'path'?",
            "f:3:9: import must be a list, found 'a.jsonl'; write it as [a.jsonl]"
        );
        Add(
            "version as text",
            "version: one\ndatabase: { name: a, path: . }\n",
            "f:1:10: version must be a whole number, found 'one'"
        );
        Add("unknown key", Head + "databse: x\n", "f:3:1: unknown key 'databse'; did you mean 'database'?");
        Add(
            "unknown key, nothing near",
            Head + "zzz: x\n",
            "f:3:1: unknown key 'zzz'; known here: actors, backups, cluster, connections, database, etl, health, helpers, import, indexes, indexing, secrets, server, subscriptions, version, watch"
        );
        Add(
            "unknown nested key",
            "version: 1\ndatabase:\n  name: a\n  path: .\n  pth: x\n",
            "f:5:3: unknown key 'pth' in database; did you mean 'path'?"
        );
        Add(
            "unknown option",
            Head + "connections:\n  c: { probe: { nmae: x, name: y } }\n",
            "f:4:17: unknown key 'nmae' in connections.c.probe; did you mean 'name'?"
        );
        Add("wrong case", Head + "Import: [a]\n", "f:3:1: unknown key 'Import'; did you mean 'import'?");
        Add(
            "missing option",
            Head + "connections:\n  c: { probe: { } }\n",
            "f:4:8: connections.c.probe.name is missing; it is required: name of the thing"
        );
        Add(
            "missing path",
            "version: 1\ndatabase: { name: a }\n",
            "f:2:1: database.path is missing; it is required: folder of the data, relative to this file"
        );
        Add(
            "duplicate key",
            Head + "import: [a]\nimport: [b]\n",
            "f:4:1: the key 'import' is defined twice, first in line 3; remove one of them"
        );
        Add(
            "scalar for a mapping",
            "version: 1\ndatabase: shop\n",
            "f:2:11: database must be a mapping of keys to values, found 'shop'"
        );
        Add(
            "scalar for a list",
            Head + "import: a.jsonl\n",
            "f:3:9: import must be a list, found 'a.jsonl'; write it as [a.jsonl]"
        );
        Add(
            "list for a scalar",
            "version: 1\ndatabase: { name: [a], path: . }\n",
            "f:2:19: database.name must be text, found a list"
        );
        Add(
            "no value",
            "version: 1\ndatabase: { name: , path: . }\n",
            "f:2:19: database.name has no value; give it text, or leave the key out"
        );
        Add(
            "bad name",
            "version: 1\ndatabase: { name: a/b, path: . }\n",
            "f:2:19: database.name must be of letters, digits, '-', '_' and '.', at most 64, found 'a/b'"
        );
        Add(
            "unknown kind",
            Head + "connections:\n  c: { prob: { name: n } }\n",
            "f:4:8: unknown kind of connector 'prob' in connections.c; did you mean 'probe'?"
        );
        Add(
            "two kinds",
            Head + "connections:\n  c: { probe: { name: n }, other: { } }\n",
            "f:4:6: connections.c must hold one kind of connector with its options; one of: probe"
        );
        Add(
            "kind left out",
            Head + "connections:\n  c: { }\n",
            "f:4:6: connections.c must hold one kind of connector with its options; one of: probe"
        );
        Add(
            "no kind",
            Head + "connections:\n  c:\n",
            "f:4:3: connections.c must hold one kind of connector with its options; one of: probe"
        );
        Add(
            "connector's own rule",
            Head + "connections:\n  c: { probe: { name: bad } }\n",
            "f:4:23: connections.c.probe.name: 'bad' will not do"
        );
        Add(
            "number too small",
            Head + "connections:\n  c: { probe: { name: n, count: 0 } }\n",
            "f:4:33: connections.c.probe.count must be at least 1, found '0'"
        );
        Add(
            "number too large",
            Head + "connections:\n  c: { probe: { name: n, count: 11 } }\n",
            "f:4:33: connections.c.probe.count must be at most 10, found '11'"
        );
        Add(
            "not a number",
            Head + "connections:\n  c: { probe: { name: n, count: 1.5 } }\n",
            "f:4:33: connections.c.probe.count must be a whole number, found '1.5'"
        );
        Add(
            "no unit",
            Head + "connections:\n  c: { probe: { name: n, wait: 5 } }\n",
            "f:4:32: connections.c.probe.wait must be a duration such as 500ms, 5s, 2m or 1h, found '5'; add a unit: 5s"
        );
        Add(
            "too short",
            Head + "connections:\n  c: { probe: { name: n, wait: 10ms } }\n",
            "f:4:32: connections.c.probe.wait must be at least 1s, found '10ms'"
        );
        Add(
            "bad size",
            Head + "connections:\n  c: { probe: { name: n, maxBytes: 5 kB/s } }\n",
            "f:4:36: connections.c.probe.maxBytes must be a size such as 64KiB, 16MiB or a number of bytes, found '5 kB/s'"
        );
        Add(
            "bad enum",
            Head + "connections:\n  c: { probe: { name: n, mode: fullspeed } }\n",
            "f:4:32: connections.c.probe.mode must be one of slow, fullSpeed, found 'fullspeed'; did you mean 'fullSpeed'?"
        );
        Add(
            "bad bool",
            Head + "connections:\n  c: { probe: { name: n, on: yes } }\n",
            "f:4:30: connections.c.probe.on must be true or false, found 'yes'; write true"
        );
        Add(
            "bad ratio",
            Head + "connections:\n  c: { probe: { name: n, ratio: NaN } }\n",
            "f:4:33: connections.c.probe.ratio must be a number, found 'NaN'"
        );
        Add(
            "bad dictionary value",
            Head + "connections:\n  c: { probe: { name: n, map: { x: y } } }\n",
            "f:4:36: connections.c.probe.map.x must be a whole number, found 'y'"
        );
        Add(
            "bad url",
            Head + "server: { url: localhost }\n",
            "f:3:16: server.url must be an address such as http://127.0.0.1:8080, found 'localhost'"
        );
        Add(
            "empty database name",
            "version: 1\ndatabase: { name: '', path: . }\n",
            "f:2:19: database.name must be of letters, digits, '-', '_' and '.', at most 64, found ''"
        );
        Add(
            "index without maps",
            Head + "indexes:\n  - name: a\n    maps: []\n",
            "f:5:11: index 'a' has no map; write at least one: from o in docs.Orders select new { o.Company }"
        );
        Add(
            "index twice",
            Head
                + """
                indexes:
                  - { name: a, maps: ['from o in docs.Orders select new { o.T }'] }
                  - { name: A, maps: ['from o in docs.Orders select new { o.T }'] }

                """,
            "f:5:13: the index 'A' is defined twice, first in line 4; give it another name"
        );
        Add(
            "unknown analyzer",
            Head
                + "indexes:\n  - { name: a, maps: ['from o in docs.Orders select new { o.T }'], fields: { T: { analyzer: standrad } } }\n",
            "f:4:93: the analyzer 'standrad' cannot be used: no analyzer has this name; did you mean 'standard'?"
        );
        Add(
            "analyzer of an exact field",
            Head
                + "indexes:\n  - { name: a, maps: ['from o in docs.Orders select new { o.T }'], fields: { T: { analyzer: standard, indexing: exact } } }\n",
            "f:4:113: a field with an analyzer is searched by words; leave 'indexing' out, or write search"
        );
        Add(
            "a task's policy without a limit",
            OneTask + "    then: drop\n",
            "f:10:11: 'then' says what to do where maxLag is exceeded, and there is no maxLag; add 'maxLag: 7d', or leave 'then' out"
        );
        Add(
            "bad scheme",
            Head + "server: { url: ftp://x }\n",
            "f:3:16: server.url must begin with http:// or https://, found 'ftp://x'"
        );
        Add(
            "TLS without certificate",
            Head + "server: { url: https://127.0.0.1:8443 }\n",
            "f:3:16: server.url is 'https://127.0.0.1:8443', and there is no certificate; add server.certificate: { file: server.pfx, password: ${PFX_PASSWORD} }"
        );
        Add(
            "certificate without TLS",
            Head + "server: { certificate: { file: a.pfx } }\n",
            "f:3:24: server.certificate needs a server.url that begins with https://"
        );
        Add(
            "open to others",
            Head + "server: { url: http://0.0.0.0:8080 }\n",
            "f:3:16: server.url is 'http://0.0.0.0:8080', which other machines can reach, and clients would not be authenticated; listen on 127.0.0.1, name the clients under server.clients, or write allowInsecure: true if a firewall or proxy keeps others out"
        );
        Add(
            "clients without TLS",
            Head + "server: { clients: [{ name: a, thumbprint: 00 }] }\n",
            "f:3:20: server.clients are identified by certificates, so server.url must begin with https://\nf:3:44: the thumbprint of client 'a' must have 64 hexadecimal digits (SHA-256), found 2 characters; openssl x509 -noout -fingerprint -sha256 -in client.pem"
        );
        Add(
            "access that there is not",
            Head
                + "server: { url: https://127.0.0.1:1, certificate: { file: a.pfx }, clients: [{ name: a, thumbprint: \""
                + new string('a', 64)
                + "\", databases: { x: write } }] }\n",
            "f:3:184: server.clients[0].databases.x must be one of read, readWrite, admin, found 'write'"
        );
        Add(
            "host name",
            Head + "server: { url: http://shop.example:8080 }\n",
            "f:3:16: server.url must have an IP address or localhost as its host, found 'http://shop.example:8080'; 0.0.0.0 listens on every interface"
        );
        Add(
            "path in url",
            Head + "server: { url: http://localhost:8080/x }\n",
            "f:3:16: server.url ends with the port, found 'http://localhost:8080/x'; write http://localhost:8080"
        );
        Add(
            "undefined variable",
            Head + "connections:\n  c: { probe: { name: \"a-${KAFKA_URI}\" } }\n",
            "f:4:26: the variable KAFKA_URI is not set; did you mean KAFKA_URL? Otherwise set it, or give a default: ${KAFKA_URI:…}"
        );
        Add(
            "undefined variable, nothing near",
            Head + "import: [ '${ZZZ}' ]\n",
            "f:3:12: the variable ZZZ is not set; set it, or give a default: ${ZZZ:…}"
        );
        Add(
            "variable not closed",
            Head + "import: [ 'a${ZZZ' ]\n",
            "f:3:13: '${' has no '}'; write '$${' for the two characters themselves"
        );
        Add(
            "no variable's name",
            Head + "import: [ '${a-b}' ]\n",
            "f:3:12: 'a-b' is not a variable's name; write ${NAME} or ${NAME:default}, or '$${' for the two characters themselves"
        );
        Add(
            "conflicting keys",
            Head + "connections:\n  c: { probe: { name: n, sparse: true, dense: true } }\n",
            "f:4:40: connections.c.probe.dense cannot stand together with 'sparse' in line 4; leave one of them out"
        );
        Add(
            "secrets without a command",
            Head + "secrets: { timeout: 1s }\n",
            "f:3:1: secrets.command is missing; it is required: program and arguments that print a secret"
        );
        Add(
            "unknown key of secrets",
            Head + "secrets: { comand: [x] }\n",
            "f:3:1: secrets.command is missing; it is required: program and arguments that print a secret",
            "f:3:12: unknown key 'comand' in secrets; did you mean 'command'?"
        );
        Add(
            "secret file missing",
            Head + "import: [ '${file:/nowhere/x}' ]\n",
            "f:3:12: there is no secret file '/nowhere/x'; create it, or correct the path; a relative path starts at this file's folder"
        );
        Add(
            "no command for secrets",
            Head + "import: [ 'a${command:db}' ]\n",
            "f:3:13: there is no command for ${command:db}; add it: secrets: { command: [program, argument] }"
        );
        Add(
            "unknown connection",
            OneTask.Replace("to: c", "to: d", StringComparison.Ordinal),
            "f:8:9: there is no connection 'd'; did you mean 'c'?"
        );
        Add(
            "no connections",
            Head + "etl:\n  - { name: t, from: [A], to: x, transform: 'return;' }\n",
            "f:4:31: there is no connection 'x'; add it under 'connections'"
        );
        Add(
            "duplicate task",
            OneTask + "  - { name: T, from: [A], to: c, transform: 'return;' }\n",
            "f:10:13: the task 'T' is defined twice, first in line 6; give it another name"
        );
        Add(
            "missing task keys",
            Connection + "etl:\n  - name: t\n",
            "f:6:5: etl[0].from is missing; it is required: collections whose documents the task reads, or '@all_docs' alone for all of them",
            "f:6:5: etl[0].to is missing; it is required: name of the connection that its messages go to",
            "f:6:11: the task 't' has no transform; add 'transform' with C# statements that call send(destination, body), or 'class' with the name of a class"
        );
        Add(
            "from is a word",
            OneTask.Replace("[Orders]", "Orders", StringComparison.Ordinal),
            "f:7:11: etl[0].from must be a list, found 'Orders'; write it as [Orders]"
        );
        Add(
            "from is empty",
            OneTask.Replace("[Orders]", "[]", StringComparison.Ordinal),
            "f:7:11: from names no collection; name some, or [@all_docs]"
        );
        Add(
            "all and some",
            OneTask.Replace("[Orders]", "[\"@all_docs\", A]", StringComparison.Ordinal),
            "f:7:11: '@all_docs' stands for every collection; name it alone, or name collections only"
        );
        Add(
            "reserved collection",
            OneTask.Replace("[Orders]", "[\"@hilo\"]", StringComparison.Ordinal),
            "f:7:11: '@hilo' is not a collection that a task can read; name collections, or [@all_docs]"
        );
        Add(
            "dead letters",
            OneTask.Replace("[Orders]", "[DeadLetters]", StringComparison.Ordinal),
            "f:7:11: a task cannot read 'DeadLetters', because its own failures go there; export that collection instead"
        );
        Add(
            "folded transform",
            OneTask.Replace("send(\"x\", doc);", ">\n      send(\"x\", doc);", StringComparison.Ordinal),
            "f:9:16: etl[0].transform is written with '>', which joins its lines; write it with '|'"
        );
        Add(
            "empty transform",
            OneTask.Replace("send(\"x\", doc);", "'  '", StringComparison.Ordinal),
            "f:9:16: the transform of 't' is empty; write C# statements that call send(destination, body)"
        );
        Add(
            "limits crossed",
            OneTask + "    batch: { minDocuments: 10, maxDocuments: 5 }\n",
            "f:10:28: batch.minDocuments is greater than batch.maxDocuments"
        );
        Add(
            "deletes said twice",
            OneTask + "    onDelete: event\n    deletes: true\n",
            "f:11:5: etl[0].deletes cannot stand together with 'onDelete' in line 10; leave one of them out"
        );
        Add(
            "parallel beside followed loads",
            OneTask + "    dependsOn: load\n    parallel: 2\n",
            "f:11:15: parallel and 'dependsOn: load' exclude each other: loaded documents are tracked one document at a time; leave one of them out"
        );
        Add(
            "parallel with nothing",
            OneTask + "    parallel: 0\n",
            "f:10:15: etl[0].parallel must be at least 1, found '0'"
        );
        Add(
            "no time for a batch",
            OneTask + "    batch: { targetTime: 0s }\n",
            "f:10:26: etl[0].batch.targetTime must be at least 10ms, found '0s'"
        );
        Add(
            "bad delete policy",
            OneTask + "    onDelete: tombstones\n",
            "f:10:15: etl[0].onDelete must be one of nothing, event, tombstone, found 'tombstones'; did you mean 'tombstone'?"
        );
        Add(
            "fault beside a deprecated key",
            Connection + "etl:\n  - { name: a/b, from: [A], to: c, transform: 'return;', deletes: true }\n",
            "f:6:13: a task's name must be of letters, digits, '-', '_' and '.', at most 64, found 'a/b'"
        );
        Add(
            "limit too small",
            OneTask + "    limits: { steps: 10 }\n",
            "f:10:22: etl[0].limits.steps must be at least 1000, found '10'"
        );
        Add(
            "limit without a unit",
            OneTask + "    limits: { time: 5 }\n",
            "f:10:21: etl[0].limits.time must be a duration such as 500ms, 5s, 2m or 1h, found '5'; add a unit: 5s"
        );
        Add(
            "helpers as a list",
            Head + "helpers: [x]\n",
            "f:3:10: helpers must be a mapping of names to values, found a list"
        );
        Add(
            "folded helper",
            Head + "helpers:\n  a: >\n    int A;\n",
            "f:4:6: helpers.a is written with '>', which joins its lines; write it with '|'"
        );
        Add(
            "case that expects nothing at all",
            OneTask + "    tests: [{ name: n, document: { id: a } }]\n",
            "f:10:13: the case says neither 'expect' nor 'error'; list the messages under 'expect', [] for none"
        );
        Add(
            "case without a document",
            OneTask + "    tests: [{ name: n, expect: [] }]\n",
            "f:10:13: the case has no document; add it: document: { id: orders/1, body: { … } }"
        );
        Add(
            "case with body and file",
            OneTask + "    tests: [{ name: n, document: { id: a, body: {}, file: f.json }, expect: [] }]\n",
            "f:10:53: etl[0].tests[0].document.file cannot stand together with 'body' in line 10; leave one of them out"
        );
        Add(
            "message with an unknown key",
            OneTask + "    tests: [{ name: n, document: { id: a }, expect: [{ topic: x }] }]\n",
            "f:10:56: unknown key 'topic' in etl[0].tests[0].expect[0]; known here: body, destination, exact, id, key, source, type"
        );
        Add(
            "tag",
            "version: !!int 1\ndatabase: { name: a, path: . }\n",
            "f:1:10: the tag 'tag:yaml.org,2002:int' is not supported; leave it out"
        );
        Add(
            "merge key",
            "version: 1\ndatabase: &d { name: a, path: . }\nserver: { <<: *d }\n",
            "f:3:11: merge keys ('<<') are not supported; repeat the keys, or use an alias for the whole value"
        );
        Add(
            "two documents",
            Head + "---\nversion: 1\n",
            "f:3:1: a second YAML document begins here; keep one document in a file"
        );
        Add(
            "several at once",
            "version: 1\ndatabase: { name: [1], pth: . }\nimport: 5\n",
            "f:2:1: database.path is missing; it is required: folder of the data, relative to this file",
            "f:2:19: database.name must be text, found a list",
            "f:2:24: unknown key 'pth' in database; did you mean 'path'?",
            "f:3:9: import must be a list, found '5'; write it as [5]"
        );
        Add(
            "too deep",
            "a: " + new string('[', 40) + new string(']', 40),
            "f:1:36: nested deeper than 32 levels (MaxDepth)"
        );
        Add("key is a list", Head + "? [a]\n: b\n", "f:3:3: a key must be a word, found a list");
        Add(
            "subscription with query and filter",
            Head + "subscriptions:\n  - name: s\n    query: from As\n    filter: doc.A > 1\n",
            "f:6:13: subscription 's': it has a query and a filter; give either"
        );
        Add(
            "lag that is no duration",
            Head + "subscriptions:\n  - { name: s, maxLag: long }\n",
            "f:4:24: subscriptions[0].maxLag.age must be a duration such as 500ms, 5s, 2m or 1h, found 'long'"
        );
        Add(
            "lag with a key unknown",
            Head + "subscriptions:\n  - { name: s, maxLag: { ag: 7d } }\n",
            "f:4:26: unknown key 'ag' in subscriptions[0].maxLag; did you mean 'age'?"
        );
        Add(
            "then with a wrong word",
            Head + "subscriptions:\n  - { name: s, maxLag: 7d, then: dropp }\n",
            "f:4:34: subscriptions[0].then must be one of keep, pause-and-resync, drop, found 'dropp'; did you mean 'drop'?"
        );
        Add(
            "then without a lag",
            Head + "subscriptions:\n  - { name: s, then: drop }\n",
            "f:4:5: subscription 's': 'then' says what to do where maxLag is exceeded, and there is no maxLag"
        );
        return data;
    }
}
