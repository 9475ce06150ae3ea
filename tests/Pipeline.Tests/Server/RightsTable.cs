namespace Pipeline.Tests.Server;

/// <summary>
/// What a request needs at least: a person decides it here, and <see cref="RightsMatrixTests"/> holds the server to it.
/// A route that is not here fails the test.
/// </summary>
internal static class RightsTable
{
    private const string Text = """
        PUT    /databases/{database}/admin/configuration/client   admin
        PUT    /databases/{database}/admin/configuration/settings admin
        POST   /databases/{database}/admin/expiration/config      admin
        PUT    /databases/{database}/admin/indexes                admin
        POST   /databases/{database}/admin/indexes/disable        admin
        POST   /databases/{database}/admin/indexes/enable         admin
        POST   /databases/{database}/admin/indexes/start          admin
        POST   /databases/{database}/admin/indexes/stop           admin
        GET    /databases/{database}/admin/record                 admin
        POST   /databases/{database}/admin/refresh/config         admin
        POST   /databases/{database}/admin/revisions/config       admin
        POST   /databases/{database}/admin/tasks/state            admin
        DELETE /databases/{database}/attachments                  readWrite
        GET    /databases/{database}/attachments                  read
        HEAD   /databases/{database}/attachments                  read
        POST   /databases/{database}/attachments                  read
        PUT    /databases/{database}/attachments                  readWrite
        POST   /databases/{database}/bulk_docs                    readWrite
        POST   /databases/{database}/bulk_insert                  readWrite
        GET    /databases/{database}/changes                      read
        DELETE /databases/{database}/cmpxchg                      readWrite
        GET    /databases/{database}/cmpxchg                      read
        PUT    /databases/{database}/cmpxchg                      readWrite
        GET    /databases/{database}/collections/stats            read
        GET    /databases/{database}/collections/stats/detailed   read
        GET    /databases/{database}/configuration/client         read
        GET    /databases/{database}/debug/identities             read
        DELETE /databases/{database}/docs                         readWrite
        GET    /databases/{database}/docs                         read
        HEAD   /databases/{database}/docs                         read
        PATCH  /databases/{database}/docs                         readWrite
        POST   /databases/{database}/docs                         read
        PUT    /databases/{database}/docs                         readWrite
        POST   /databases/{database}/events/append                readWrite
        POST   /databases/{database}/events/delete                readWrite
        POST   /databases/{database}/events/highest               read
        POST   /databases/{database}/events/read                  read
        POST   /databases/{database}/events/snapshots/delete      readWrite
        POST   /databases/{database}/events/snapshots/load        read
        POST   /databases/{database}/events/snapshots/save        readWrite
        POST   /databases/{database}/events/stream                read
        POST   /databases/{database}/events/streams               read
        POST   /databases/{database}/events/wait                  read
        GET    /databases/{database}/expiration/config            read
        GET    /databases/{database}/healthcheck                  read
        GET    /databases/{database}/hilo/next                    readWrite
        PUT    /databases/{database}/hilo/return                  readWrite
        POST   /databases/{database}/identity/next                readWrite
        POST   /databases/{database}/identity/seed                readWrite
        DELETE /databases/{database}/indexes                      readWrite
        GET    /databases/{database}/indexes                      read
        PUT    /databases/{database}/indexes                      admin
        RESET  /databases/{database}/indexes                      readWrite
        DELETE /databases/{database}/indexes/errors               readWrite
        GET    /databases/{database}/indexes/errors               read
        POST   /databases/{database}/indexes/has-changed          read
        GET    /databases/{database}/indexes/progress             read
        POST   /databases/{database}/indexes/set-lock             readWrite
        POST   /databases/{database}/indexes/set-priority         readWrite
        GET    /databases/{database}/indexes/staleness            read
        GET    /databases/{database}/indexes/stats                read
        GET    /databases/{database}/indexes/status               read
        GET    /databases/{database}/indexes/terms                read
        GET    /databases/{database}/info/tcp                     readWrite
        POST   /databases/{database}/multi_get                    read
        POST   /databases/{database}/operations/kill              readWrite
        GET    /databases/{database}/operations/next-operation-id read
        GET    /databases/{database}/operations/state             read
        DELETE /databases/{database}/queries                      readWrite
        GET    /databases/{database}/queries                      read
        PATCH  /databases/{database}/queries                      readWrite
        POST   /databases/{database}/queries                      read
        GET    /databases/{database}/refresh/config               read
        GET    /databases/{database}/revisions                    read
        GET    /databases/{database}/revisions/bin                read
        GET    /databases/{database}/revisions/config             read
        GET    /databases/{database}/revisions/count              read
        GET    /databases/{database}/stats                        read
        GET    /databases/{database}/stats/detailed               read
        GET    /databases/{database}/stats/essential              read
        GET    /databases/{database}/streams/docs                 read
        GET    /databases/{database}/streams/queries              read
        POST   /databases/{database}/streams/queries              read
        DELETE /databases/{database}/subscriptions                readWrite
        GET    /databases/{database}/subscriptions                read
        PUT    /databases/{database}/subscriptions                readWrite
        PUT    /databases/{database}/subscriptions/definition     readWrite
        POST   /databases/{database}/subscriptions/drop           readWrite
        POST   /databases/{database}/subscriptions/paused         readWrite
        GET    /databases/{database}/subscriptions/state          read
        GET    /databases/{database}/subscriptions/states         read
        POST   /databases/{database}/subscriptions/update         readWrite
        GET    /databases/{database}/subscriptions/worker         readWrite
        GET    /databases/{database}/task                         read
        *      /databases/{database}/{**path}                     read
        GET    /databases                                         known
        GET    /cluster/node-info                                 known
        GET    /cluster/topology                                  known
        GET    /topology                                          read
        GET    /info/remote-task/tcp                              readWrite
        GET    /info/tcp                                          readWrite
        GET    /build/version                                     known
        GET    /configuration/client                              known
        PUT    /admin/databases                                   clusterAdmin
        DELETE /admin/databases                                   clusterAdmin
        GET    /admin/databases                                   read
        POST   /admin/databases/enable                            clusterAdmin
        POST   /admin/databases/disable                           clusterAdmin
        POST   /admin/databases/set-lock                          clusterAdmin
        POST   /admin/databases/promote                           clusterAdmin
        POST   /admin/databases/reorder                           clusterAdmin
        GET    /admin/test/delay                                  clusterAdmin
        *      /admin/{**path}                                    known
        GET    /health/live                                       anybody
        GET    /health/ready                                      anybody
        GET    /metrics                                           known
        *      {*path:nonfile}                                    anybody
        GET    /stats                                             clusterAdmin
        GET    /history                                           clusterAdmin
        GET    /settings                                          clusterAdmin
        GET    /storage                                           clusterAdmin
        POST   /storage/scrub                                     clusterAdmin
        POST   /storage/compact                                   clusterAdmin
        GET    /deadletters                                       clusterAdmin
        GET    /deadletters/groups                                clusterAdmin
        GET    /deadletters/letter                                clusterAdmin
        PUT    /deadletters/letter                                clusterAdmin
        POST   /deadletters/retry                                 clusterAdmin
        POST   /deadletters/drop                                  clusterAdmin
        GET    /backups                                           clusterAdmin
        POST   /backups/{name}/run                                clusterAdmin
        POST   /backups/{name}/drill                              clusterAdmin
        POST   /backups/{name}/cancel                             clusterAdmin
        GET    /journey                                           clusterAdmin
        GET    /revisions                                         clusterAdmin
        GET    /subscriptions                                     clusterAdmin
        DELETE /subscriptions                                     clusterAdmin
        POST   /subscriptions/pause                               clusterAdmin
        POST   /subscriptions/resume                              clusterAdmin
        POST   /subscriptions/move                                clusterAdmin
        POST   /subscriptions/retry                               clusterAdmin
        GET    /subscriptions/events                              clusterAdmin
        GET    /indexes                                           clusterAdmin
        DELETE /indexes                                           clusterAdmin
        GET    /indexes/errors                                    clusterAdmin
        POST   /indexes/reset                                     clusterAdmin
        GET    /consumers                                         clusterAdmin
        DELETE /consumers                                         clusterAdmin
        POST   /etl/resume                                        clusterAdmin
        POST   /etl/replay                                        clusterAdmin
        GET    /etl/tasks                                         clusterAdmin
        GET    /etl/transform                                     clusterAdmin
        POST   /etl/bench                                         clusterAdmin
        POST   /etl/bench/case                                    clusterAdmin
        POST   /etl/bench/yaml                                    clusterAdmin
        POST   /deadletters/try                                   clusterAdmin
        GET    /etl/plan                                          clusterAdmin
        POST   /etl/apply                                         clusterAdmin
        """;

    /// <summary>The least right by method and route; <c>*</c> stands for any method.</summary>
    public static IReadOnlyDictionary<(string Method, string Route), string> Rows { get; } =
        Text.Split('\n')
            .Select(l => l.Split(' ', StringSplitOptions.RemoveEmptyEntries))
            .ToDictionary(w => (w[0], w[1]), w => w[2]);
}
