using Xunit;

namespace Pipeline.EtlKit.Configuration;

/// <summary>
/// Broken files: a name, the YAML, and every line of its errors. The connectors are those of
/// <see cref="ProbeDefinition.Catalog"/>.
/// </summary>
public static partial class BrokenConfigurations
{
    public const string Head = "version: 1\ndatabase: { name: a, path: . }\n";
    public const string Connection = Head + "connections:\n  c: { probe: { name: n } }\n";

    // Line 6 on: the keys of one task.
    public const string OneTask =
        Connection + "etl:\n  - name: t\n    from: [Orders]\n    to: c\n    transform: send(\"x\", doc);\n";

    public static TheoryData<string, string, string> Files()
    {
        var data = new TheoryData<string, string, string>();
        data.Add("empty", "", "f:1:1: the file is empty; start it with 'version: 1'");
        data.Add("comment only", "# nothing\n", "f:1:1: the file is empty; start it with 'version: 1'");
        data.Add("a list", "- 1\n", "f:1:1: the file must be a mapping of keys to values, found a list");
        data.Add("a word", "hello", "f:1:1: the file must be a mapping of keys to values, found 'hello'");
        data.Add(
            "version missing",
            "database: { name: a, path: . }\n",
            "f:1:1: version is missing; it is required: version of this file's format: 1"
        );
        data.Add(
            "version from the future",
            "version: 2\ndatabase: { name: a, path: . }\n",
            "f:1:10: version 2 is not supported; this program reads version 1"
        );
        data.Add(
            "version from the future and other faults",
            "version: 2\ndatabase: { name: a, pth: . }\nimport: a.jsonl\n",
            "f:1:10: version 2 is not supported; this program reads version 1",
            "f:2:1: database.path is missing; it is required: folder of the data, relative to this file",
            "f:2:22: unknown key 'pth' in database; did you mean 'path'?",
            "f:3:9: import must be a list, found 'a.jsonl'; write it as [a.jsonl]"
        );
        data.Add(
            "version as text",
            "version: one\ndatabase: { name: a, path: . }\n",
            "f:1:10: version must be a whole number, found 'one'"
        );
        data.Add("unknown key", Head + "databse: x\n", "f:3:1: unknown key 'databse'; did you mean 'database'?");
        data.Add(
            "unknown key, nothing near",
            Head + "zzz: x\n",
            "f:3:1: unknown key 'zzz'; known here: actors, backups, cluster, connections, database, etl, health, helpers, import, indexes, indexing, secrets, server, subscriptions, version, watch"
        );
        data.Add(
            "unknown nested key",
            "version: 1\ndatabase:\n  name: a\n  path: .\n  pth: x\n",
            "f:5:3: unknown key 'pth' in database; did you mean 'path'?"
        );
        data.Add(
            "unknown option",
            Head + "connections:\n  c: { probe: { nmae: x, name: y } }\n",
            "f:4:17: unknown key 'nmae' in connections.c.probe; did you mean 'name'?"
        );
        data.Add("wrong case", Head + "Import: [a]\n", "f:3:1: unknown key 'Import'; did you mean 'import'?");
        data.Add(
            "missing option",
            Head + "connections:\n  c: { probe: { } }\n",
            "f:4:8: connections.c.probe.name is missing; it is required: name of the thing"
        );
        data.Add(
            "missing path",
            "version: 1\ndatabase: { name: a }\n",
            "f:2:1: database.path is missing; it is required: folder of the data, relative to this file"
        );
        data.Add(
            "duplicate key",
            Head + "import: [a]\nimport: [b]\n",
            "f:4:1: the key 'import' is defined twice, first in line 3; remove one of them"
        );
        data.Add(
            "scalar for a mapping",
            "version: 1\ndatabase: shop\n",
            "f:2:11: database must be a mapping of keys to values, found 'shop'"
        );
        data.Add(
            "scalar for a list",
            Head + "import: a.jsonl\n",
            "f:3:9: import must be a list, found 'a.jsonl'; write it as [a.jsonl]"
        );
        data.Add(
            "list for a scalar",
            "version: 1\ndatabase: { name: [a], path: . }\n",
            "f:2:19: database.name must be text, found a list"
        );
        data.Add(
            "no value",
            "version: 1\ndatabase: { name: , path: . }\n",
            "f:2:19: database.name has no value; give it text, or leave the key out"
        );
        data.Add(
            "bad name",
            "version: 1\ndatabase: { name: a/b, path: . }\n",
            "f:2:19: database.name must be of letters, digits, '-', '_' and '.', at most 64, found 'a/b'"
        );
        data.Add(
            "unknown kind",
            Head + "connections:\n  c: { prob: { name: n } }\n",
            "f:4:8: unknown kind of connector 'prob' in connections.c; did you mean 'probe'?"
        );
        data.Add(
            "two kinds",
            Head + "connections:\n  c: { probe: { name: n }, other: { } }\n",
            "f:4:6: connections.c must hold one kind of connector with its options; one of: probe"
        );
        data.Add(
            "kind left out",
            Head + "connections:\n  c: { }\n",
            "f:4:6: connections.c must hold one kind of connector with its options; one of: probe"
        );
        data.Add(
            "no kind",
            Head + "connections:\n  c:\n",
            "f:4:3: connections.c must hold one kind of connector with its options; one of: probe"
        );
        data.Add(
            "connector's own rule",
            Head + "connections:\n  c: { probe: { name: bad } }\n",
            "f:4:23: connections.c.probe.name: 'bad' will not do"
        );
        data.Add(
            "number too small",
            Head + "connections:\n  c: { probe: { name: n, count: 0 } }\n",
            "f:4:33: connections.c.probe.count must be at least 1, found '0'"
        );
        data.Add(
            "number too large",
            Head + "connections:\n  c: { probe: { name: n, count: 11 } }\n",
            "f:4:33: connections.c.probe.count must be at most 10, found '11'"
        );
        data.Add(
            "not a number",
            Head + "connections:\n  c: { probe: { name: n, count: 1.5 } }\n",
            "f:4:33: connections.c.probe.count must be a whole number, found '1.5'"
        );
        data.Add(
            "no unit",
            Head + "connections:\n  c: { probe: { name: n, wait: 5 } }\n",
            "f:4:32: connections.c.probe.wait must be a duration such as 500ms, 5s, 2m or 1h, found '5'; add a unit: 5s"
        );
        data.Add(
            "too short",
            Head + "connections:\n  c: { probe: { name: n, wait: 10ms } }\n",
            "f:4:32: connections.c.probe.wait must be at least 1s, found '10ms'"
        );
        data.Add(
            "bad size",
            Head + "connections:\n  c: { probe: { name: n, maxBytes: 5 kB/s } }\n",
            "f:4:36: connections.c.probe.maxBytes must be a size such as 64KiB, 16MiB or a number of bytes, found '5 kB/s'"
        );
        data.Add(
            "bad enum",
            Head + "connections:\n  c: { probe: { name: n, mode: fullspeed } }\n",
            "f:4:32: connections.c.probe.mode must be one of slow, fullSpeed, found 'fullspeed'; did you mean 'fullSpeed'?"
        );
        data.Add(
            "bad bool",
            Head + "connections:\n  c: { probe: { name: n, on: yes } }\n",
            "f:4:30: connections.c.probe.on must be true or false, found 'yes'; write true"
        );
        data.Add(
            "bad ratio",
            Head + "connections:\n  c: { probe: { name: n, ratio: NaN } }\n",
            "f:4:33: connections.c.probe.ratio must be a number, found 'NaN'"
        );
        data.Add(
            "bad dictionary value",
            Head + "connections:\n  c: { probe: { name: n, map: { x: y } } }\n",
            "f:4:36: connections.c.probe.map.x must be a whole number, found 'y'"
        );
        data.Add(
            "bad url",
            Head + "server: { url: localhost }\n",
            "f:3:16: server.url must be an address such as http://127.0.0.1:8080, found 'localhost'"
        );
        data.Add(
            "empty database name",
            "version: 1\ndatabase: { name: '', path: . }\n",
            "f:2:19: database.name must be of letters, digits, '-', '_' and '.', at most 64, found ''"
        );
        data.Add(
            "index without maps",
            Head + "indexes:\n  - name: a\n    maps: []\n",
            "f:5:11: index 'a' has no map; write at least one: from o in docs.Orders select new { o.Company }"
        );
        data.Add(
            "index twice",
            Head
                + """
                indexes:
                  - { name: a, maps: ['from o in docs.Orders select new { o.T }'] }
                  - { name: A, maps: ['from o in docs.Orders select new { o.T }'] }

                """,
            "f:5:13: the index 'A' is defined twice, first in line 4; give it another name"
        );
        data.Add(
            "unknown analyzer",
            Head
                + "indexes:\n  - { name: a, maps: ['from o in docs.Orders select new { o.T }'], fields: { T: { analyzer: standrad } } }\n",
            "f:4:93: the analyzer 'standrad' cannot be used: no analyzer has this name; did you mean 'standard'?"
        );
        data.Add(
            "analyzer of an exact field",
            Head
                + "indexes:\n  - { name: a, maps: ['from o in docs.Orders select new { o.T }'], fields: { T: { analyzer: standard, indexing: exact } } }\n",
            "f:4:113: a field with an analyzer is searched by words; leave 'indexing' out, or write search"
        );
        data.Add(
            "a task's policy without a limit",
            OneTask + "    then: drop\n",
            "f:10:11: 'then' says what to do where maxLag is exceeded, and there is no maxLag; add 'maxLag: 7d', or leave 'then' out"
        );
        data.Add(
            "bad scheme",
            Head + "server: { url: ftp://x }\n",
            "f:3:16: server.url must begin with http:// or https://, found 'ftp://x'"
        );
        data.Add(
            "TLS without certificate",
            Head + "server: { url: https://127.0.0.1:8443 }\n",
            "f:3:16: server.url is 'https://127.0.0.1:8443', and there is no certificate; add server.certificate: { file: server.pfx, password: ${PFX_PASSWORD} }"
        );
        data.Add(
            "certificate without TLS",
            Head + "server: { certificate: { file: a.pfx } }\n",
            "f:3:24: server.certificate needs a server.url that begins with https://"
        );
        data.Add(
            "open to others",
            Head + "server: { url: http://0.0.0.0:8080 }\n",
            "f:3:16: server.url is 'http://0.0.0.0:8080', which other machines can reach, and clients would not be authenticated; listen on 127.0.0.1, name the clients under server.clients, or write allowInsecure: true if a firewall or proxy keeps others out"
        );
        data.Add(
            "clients without TLS",
            Head + "server: { clients: [{ name: a, thumbprint: 00 }] }\n",
            "f:3:20: server.clients are identified by certificates, so server.url must begin with https://\nf:3:44: the thumbprint of client 'a' must have 64 hexadecimal digits (SHA-256), found 2 characters; openssl x509 -noout -fingerprint -sha256 -in client.pem"
        );
        data.Add(
            "access that there is not",
            Head
                + "server: { url: https://127.0.0.1:1, certificate: { file: a.pfx }, clients: [{ name: a, thumbprint: \""
                + new string('a', 64)
                + "\", databases: { x: write } }] }\n",
            "f:3:184: server.clients[0].databases.x must be one of read, readWrite, admin, found 'write'"
        );
        data.Add(
            "host name",
            Head + "server: { url: http://shop.example:8080 }\n",
            "f:3:16: server.url must have an IP address or localhost as its host, found 'http://shop.example:8080'; 0.0.0.0 listens on every interface"
        );
        data.Add(
            "path in url",
            Head + "server: { url: http://localhost:8080/x }\n",
            "f:3:16: server.url ends with the port, found 'http://localhost:8080/x'; write http://localhost:8080"
        );
        data.Add(
            "undefined variable",
            Head + "connections:\n  c: { probe: { name: \"a-${KAFKA_URI}\" } }\n",
            "f:4:26: the variable KAFKA_URI is not set; did you mean KAFKA_URL? Otherwise set it, or give a default: ${KAFKA_URI:…}"
        );
        data.Add(
            "undefined variable, nothing near",
            Head + "import: [ '${ZZZ}' ]\n",
            "f:3:12: the variable ZZZ is not set; set it, or give a default: ${ZZZ:…}"
        );
        data.Add(
            "variable not closed",
            Head + "import: [ 'a${ZZZ' ]\n",
            "f:3:13: '${' has no '}'; write '$${' for the two characters themselves"
        );
        data.Add(
            "no variable's name",
            Head + "import: [ '${a-b}' ]\n",
            "f:3:12: 'a-b' is not a variable's name; write ${NAME} or ${NAME:default}, or '$${' for the two characters themselves"
        );
        data.Add(
            "conflicting keys",
            Head + "connections:\n  c: { probe: { name: n, sparse: true, dense: true } }\n",
            "f:4:40: connections.c.probe.dense cannot stand together with 'sparse' in line 4; leave one of them out"
        );
        data.Add(
            "secrets without a command",
            Head + "secrets: { timeout: 1s }\n",
            "f:3:1: secrets.command is missing; it is required: program and arguments that print a secret"
        );
        data.Add(
            "unknown key of secrets",
            Head + "secrets: { comand: [x] }\n",
            "f:3:1: secrets.command is missing; it is required: program and arguments that print a secret",
            "f:3:12: unknown key 'comand' in secrets; did you mean 'command'?"
        );
        data.Add(
            "secret file missing",
            Head + "import: [ '${file:/nowhere/x}' ]\n",
            "f:3:12: there is no secret file '/nowhere/x'; create it, or correct the path; a relative path starts at this file's folder"
        );
        data.Add(
            "no command for secrets",
            Head + "import: [ 'a${command:db}' ]\n",
            "f:3:13: there is no command for ${command:db}; add it: secrets: { command: [program, argument] }"
        );
        AddTasks(data);
        return data;
    }

    private static void Add(
        this TheoryData<string, string, string> data,
        string name,
        string yaml,
        params string[] expected
    ) => data.Add(name, yaml, string.Join('\n', expected));
}
