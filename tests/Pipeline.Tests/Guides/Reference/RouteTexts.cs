namespace Pipeline.Tests.Guides.Reference;

/// <summary>What each route does, for the reference. A route without a line here fails a test.</summary>
internal static class RouteTexts
{
    private const string Text = """
        GET    /health/live                       Answers while the process runs.
        GET    /health/ready                      The state of database, tasks, consumers, disk and backups; 503 if the worker is not ready.
        GET    /metrics                           Metrics in Prometheus' format.
        GET    /stats                             Collections, position and size of the worker's database.
        GET    /history                           The figures of the last hour: changes, messages, sync times, memory, lag.
        GET    /settings                          The settings in effect, each with where it comes from; secrets are masked.
        GET    /logs                              The last events of the log, by level and text.
        GET    /clients                           The server's certificate, and what each client certificate may do.
        GET    /storage                           Figures of the storage: size, journal, input and output, open readers.
        POST   /storage/scrub                     Verifies every page of the data file.
        POST   /storage/compact                   Moves data into gaps and shrinks the data file.
        GET    /deadletters                       Lists dead letters: all, of one task, or by query.
        GET    /deadletters/groups                Groups dead letters by task, class, error and line.
        GET    /deadletters/letter                Returns one dead letter.
        PUT    /deadletters/letter                Replaces the input of a dead letter.
        POST   /deadletters/retry                 Marks dead letters for a retry.
        POST   /deadletters/drop                  Deletes dead letters.
        GET    /backups                           The state of each backup and the last runs.
        POST   /backups/{name}/run                Makes a backup.
        GET    /backups/{name}/points             The stored backups with the positions that can be restored.
        GET    /backups/{name}/preview            What the database would lose by a restore to a position or time.
        GET    /backups/{name}/document           A document as of a position or time, from a scratch copy.
        POST   /backups/{name}/drill              Restores the newest backup into a scratch folder and checks it.
        POST   /backups/{name}/cancel             Cancels the current run.
        GET    /journey                           What became of a document: versions, messages, dead letters, index entries.
        GET    /revisions                         The kept versions of a document.
        GET    /export                            All documents, or those of a collection, as JSON lines.
        GET    /export/download                   How far a file of /export is, by the token `download`.
        DELETE /export/download                   Cancels a file of /export.
        POST   /import                            Stores the documents of a file of JSON lines or of a dump.
        GET    /subscriptions                     The state of each subscription.
        DELETE /subscriptions                     Deletes a subscription.
        POST   /subscriptions/pause               Stops deliveries; the position stays.
        POST   /subscriptions/try                 Shows what a subscription would deliver of the last changes.
        POST   /subscriptions/resume              Continues after a pause.
        POST   /subscriptions/move                Sets the position.
        POST   /subscriptions/retry               Delivers a parked change again.
        GET    /subscriptions/events              Events of subscriptions as JSON lines, until the client leaves.
        GET    /indexes                           The state of each index.
        DELETE /indexes                           Deletes an index.
        GET    /indexes/errors                    The documents that an index could not process.
        POST   /indexes/reset                     Rebuilds an index.
        GET    /consumers                         The consumers of changes, with backlog and kept data.
        DELETE /consumers                         Removes a consumer, so that nothing more is kept for it.
        GET    /etl/tasks                         The state of each task.
        GET    /etl/transform                     The transform of a task: script, file and lines.
        POST   /etl/bench                         Compares a script with the task's on real documents; sends nothing.
        POST   /etl/bench/case                    A test case for one document, as YAML.
        POST   /etl/bench/cases                   Test cases for the last documents of a task, as YAML.
        POST   /etl/bench/yaml                    A script as the key transform of the configuration file.
        POST   /deadletters/try                   Shows what a retry of a dead letter would send; sends nothing.
        GET    /etl/plan                          The changes that the current configuration file would make.
        POST   /etl/apply                         Applies the current configuration file.
        POST   /etl/replay                        Makes a task send its messages again.
        POST   /etl/resume                        Sets where a blocked task continues.
        GET    /databases                         Lists the databases that the client may read.
        GET    /cluster/node-info                 This server as a node.
        GET    /cluster/topology                  The nodes of the cluster; without a cluster, this server.
        GET    /topology                          The addresses of a database's nodes, the leader first.
        GET    /cluster/status                    The nodes of the cluster, asked of each: role, epoch, lag, problem.
        GET    /cluster/history                   The lag of each node over the last hour, and the last changes of leader.
        GET    /cluster/node                      What this node says of itself.
        GET    /cluster/digest                    The digest of this node's store as of a transaction to come.
        POST   /cluster/nodes                     Notes the address of a node that has started.
        DELETE /cluster/nodes                     Forgets a node that has ended.
        POST   /cluster/holds                     Notes from where a node needs the log.
        GET    /cluster/copy                      A copy of this node's stores, for another node only.
        GET    /cluster/page                      A page in place of another node's damaged one, for nodes only.
        POST   /cluster/backup                    Makes a backup for the leader, for nodes only.
        POST   /cluster/refill                    Gives up the store of this node, and fills it anew.
        POST   /cluster/handover                  Has another node lead.
        POST   /cluster/end                       Ends the log for good, so that another one continues.
        POST   /cluster/verify                    Compares the stores of all nodes page by page.
        GET    /info/remote-task/tcp              The address of subscription connections.
        GET    /info/tcp                          The address of subscription connections.
        GET    /build/version                     The version.
        GET    /configuration/client              The configuration of clients.
        PUT    /admin/databases                   Creates a database.
        DELETE /admin/databases                   Deletes databases.
        GET    /admin/databases                   The record of a database.
        POST   /admin/databases/enable            Enables databases.
        POST   /admin/databases/disable           Disables databases.
        POST   /admin/databases/set-lock          Protects databases against deletion.
        POST   /admin/databases/promote           Accepted, without effect: there is one node.
        POST   /admin/databases/reorder           Accepted, without effect: there is one node.
        GET    /admin/test/delay                  Answers after a delay, for tests of clients.
        PUT    /admin/configuration/client        Sets the configuration of clients.
        PUT    /admin/configuration/settings      Sets the settings of the database's record.
        POST   /admin/expiration/config           Sets how often expired documents are deleted.
        PUT    /admin/indexes                     Defines indexes. C# needs `server.scripts.csharp`.
        POST   /admin/indexes/disable             Disables an index.
        POST   /admin/indexes/enable              Enables an index.
        POST   /admin/indexes/start               Starts indexing.
        POST   /admin/indexes/stop                Stops indexing until the next start of the server.
        POST   /admin/indexes/try                 Runs an index definition on real documents; stores nothing.
        GET    /admin/record                      The record of the database.
        POST   /admin/refresh/config              Sets how often documents are refreshed.
        POST   /admin/revisions/config            Sets which revisions are kept.
        POST   /admin/tasks/state                 Pauses or resumes a subscription.
        DELETE /attachments                       Deletes an attachment.
        GET    /attachments                       Returns an attachment.
        HEAD   /attachments                       Returns an attachment's headers.
        POST   /attachments                       Returns an attachment of a revision.
        PUT    /attachments                       Stores an attachment.
        POST   /bulk_docs                         Runs a batch of commands in one transaction.
        POST   /bulk_insert                       Stores a stream of documents.
        GET    /changes                           Notifications about committed changes, over a web socket.
        DELETE /cmpxchg                           Deletes a compare-exchange value.
        GET    /cmpxchg                           Returns compare-exchange values.
        PUT    /cmpxchg                           Sets a compare-exchange value if its index is the given one.
        GET    /collections/stats                 The number of documents of each collection.
        GET    /collections/stats/detailed        The same, with sizes.
        GET    /configuration/client              The configuration of clients.
        GET    /debug/identities                  The identities and their last numbers.
        DELETE /docs                              Deletes a document.
        GET    /docs                              Returns documents by id, or a page of them.
        HEAD   /docs                              Returns a document's change vector.
        PATCH  /docs                              Patches a document with a script.
        POST   /docs                              Returns documents by ids in the body.
        PUT    /docs                              Stores a document.
        POST   /events/append                     Appends events to a stream.
        POST   /events/delete                     Deletes events of a stream.
        POST   /events/highest                    Returns the highest number of a stream.
        POST   /events/read                       Reads events of a stream.
        POST   /events/snapshots/delete           Deletes snapshots of a stream.
        POST   /events/snapshots/load             Loads a snapshot of a stream.
        POST   /events/snapshots/save             Saves a snapshot of a stream.
        POST   /events/stream                     Reads the events of all streams in order of position.
        GET    /events/stream                     The events of a stream and its newest snapshot, as JSON for people.
        GET    /events/streams                    Lists streams as JSON, for people.
        POST   /events/streams                    Lists streams.
        POST   /events/wait                       Waits for events after a position.
        GET    /expiration/config                 How often expired documents are deleted.
        GET    /healthcheck                       Answers if the database is open.
        GET    /hilo/next                         Reserves a range of ids.
        PUT    /hilo/return                       Returns the unused part of a range.
        POST   /identity/next                     Returns the next number of an identity.
        POST   /identity/seed                     Sets the last number of an identity.
        DELETE /indexes                           Deletes an index.
        GET    /indexes                           Returns index definitions.
        PUT    /indexes                           Defines indexes.
        RESET  /indexes                           Rebuilds an index.
        DELETE /indexes/errors                    Deletes the errors of indexes.
        GET    /indexes/errors                    Returns the errors of indexes.
        GET    /indexes/groups                    The groups of a map-reduce index; with `group`, one down to its documents.
        POST   /indexes/has-changed               Whether a definition differs from the stored one.
        GET    /indexes/performance               The last batches of indexes.
        GET    /indexes/progress                  The progress of stale indexes.
        POST   /indexes/set-lock                  Sets the lock mode of indexes.
        POST   /indexes/set-priority              Sets the priority of indexes.
        GET    /indexes/staleness                 Whether an index is stale, and why.
        GET    /indexes/stats                     Figures of each index.
        GET    /indexes/status                    The state of each index.
        GET    /indexes/terms                     The terms of an index field; without `field`, the fields.
        GET    /info/tcp                          The address of subscription connections.
        POST   /multi_get                         Runs several reads in one request.
        POST   /operations/kill                   Cancels an operation.
        GET    /operations/next-operation-id      Reserves the id of an operation.
        GET    /operations/state                  The state of an operation.
        DELETE /queries                           Deletes the documents that a query finds.
        GET    /queries                           Runs a query.
        PATCH  /queries                           Patches the documents that a query finds.
        POST   /queries                           Runs a query.
        POST   /queries/try                       What a query with `update` would change, on its first documents; stores nothing.
        GET    /refresh/config                    How often documents are refreshed.
        GET    /revisions                         Returns versions of a document.
        GET    /revisions/bin                     Returns the last versions of deleted documents.
        GET    /revisions/config                  Which revisions are kept.
        GET    /revisions/count                   The number of a document's versions.
        GET    /stats                             Figures of the database.
        GET    /stats/detailed                    More figures of the database.
        GET    /stats/essential                   The figures that cost least.
        GET    /streams/docs                      Streams documents.
        DELETE /streams/downloads                 Cancels a file of /streams/queries.
        GET    /streams/downloads                 How far a file of /streams/queries is, by the token `download`.
        GET    /streams/queries                   Streams the results of a query; `file` makes a browser save them.
        POST   /streams/queries                   Streams the results of a query.
        DELETE /subscriptions                     Deletes a subscription.
        GET    /subscriptions                     Lists subscriptions.
        PUT    /subscriptions                     Creates or changes a subscription.
        PUT    /subscriptions/definition          Creates or changes a subscription of `Pipeline.Client`.
        POST   /subscriptions/drop                Closes the connections of a subscription.
        POST   /subscriptions/paused              Pauses or resumes a subscription of `Pipeline.Client`.
        GET    /subscriptions/state               The state of a subscription.
        GET    /subscriptions/states              The state and backlog of each subscription.
        POST   /subscriptions/update              Changes a subscription.
        GET    /subscriptions/worker              Delivers a subscription of `Pipeline.Client`, over a web socket.
        GET    /task                              The state of a subscription, as a task of the database.
        """;

    private static readonly (string Method, string Path, string Text)[] Rows =
    [
        .. Text.Split('\n')
            .Select(l => l.Split(' ', 3, StringSplitOptions.RemoveEmptyEntries | StringSplitOptions.TrimEntries))
            .Select(w => (w[0], w[1], w[2])),
    ];

    /// <summary>All lines.</summary>
    public static IReadOnlyList<(string Method, string Path, string Text)> All => Rows;

    /// <summary>
    /// The text of a route; a route of a database is looked up by its path behind the database's name.
    /// </summary>
    /// <param name="method">The method.</param>
    /// <param name="path">The path.</param>
    /// <param name="ofDatabase">
    /// Whether it is a route of a database: two paths exist both there and at the worker.
    /// </param>
    public static string? Of(string method, string path, bool ofDatabase)
    {
        var found = Rows.Where(r => r.Method == method && r.Path == path).Select(r => r.Text).ToList();
        return found.Count == 0 ? null
            : ofDatabase ? found[^1]
            : found[0];
    }
}
