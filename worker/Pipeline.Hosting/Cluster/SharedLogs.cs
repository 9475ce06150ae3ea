using Microsoft.Extensions.Logging;
using Pipeline.Cluster;
using Pipeline.Configuration;
using Pipeline.KafkaLog;

namespace Pipeline.Hosting.Cluster;

/// <summary>Opens the log that a configuration names.</summary>
internal static class SharedLogs
{
    /// <summary>Opens <c>cluster.log</c>.</summary>
    /// <exception cref="SharedLogException">It cannot be used as a log.</exception>
    public static async Task<ISharedLog> OpenAsync(
        PipelineConfiguration configuration,
        TimeProvider time,
        ILoggerFactory loggers,
        CancellationToken ct
    )
    {
        var cluster = configuration.Cluster!;
        if (cluster.Log.Kafka is not { } kafka)
        {
            return await DirectoryLog
                .OpenAsync(cluster.Log.Directory!, new DirectoryLogOptions { Time = time }, ct)
                .ConfigureAwait(false);
        }
        return await KafkaSharedLog
            .OpenAsync(
                new KafkaLogOptions
                {
                    Connection = kafka.ToConnection(),
                    BaseDirectory = configuration.BaseDirectory,
                    Topic = kafka.Topic ?? "pipeline-" + cluster.Name,
                    AllowFewerCopies = kafka.AllowFewerCopies,
                    Time = time,
                    Loggers = loggers,
                },
                ct
            )
            .ConfigureAwait(false);
    }
}
