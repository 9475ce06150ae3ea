using System.Security.Cryptography;
using Microsoft.Extensions.Logging;
using Pipeline.Cluster;
using Pipeline.Configuration;
using Pipeline.KafkaLog;
using Pipeline.Storage;
using Pipeline.Subscriptions;

namespace Pipeline.Hosting.Cluster;

/// <summary>Opens the log that a configuration names.</summary>
internal static class SharedLogs
{
    private static readonly RetryBackoff Retries = new(TimeSpan.FromSeconds(1), TimeSpan.FromSeconds(10));

    /// <summary>Opens <c>cluster.log</c>. While the brokers are unavailable, logs this and waits for them.</summary>
    /// <exception cref="SharedLogException">It cannot be used as a log.</exception>
    /// <exception cref="InvalidKeyException">The key of <c>cluster.log.encryption</c> cannot be read.</exception>
    public static Task<ISharedLog> OpenAsync(
        PipelineConfiguration configuration,
        TimeProvider time,
        ILoggerFactory loggers,
        CancellationToken ct
    ) =>
        OpenAsync(
            stop => OpenBareAsync(configuration, time, loggers, stop),
            () => SealOf(configuration.Cluster!),
            configuration.Cluster!.Node,
            time,
            loggers.CreateLogger("Pipeline.Cluster"),
            ct
        );

    /// <summary>
    /// Opens a log and checks its last record. The brokers may become unavailable in between, so both steps are retried
    /// together.
    /// </summary>
    internal static Task<ISharedLog> OpenAsync(
        Func<CancellationToken, Task<ISharedLog>> open,
        Func<LogSeal?> makeSeal,
        string node,
        TimeProvider time,
        ILogger logger,
        CancellationToken ct
    ) =>
        UntilAvailableAsync(
            async stop =>
            {
                var seal = makeSeal();
                ISharedLog log;
                try
                {
                    log = await open(stop).ConfigureAwait(false);
                }
                catch
                {
                    seal?.Dispose();
                    throw;
                }
                return await SealedLog.OpenAsync(log, seal, stop).ConfigureAwait(false);
            },
            node,
            time,
            logger,
            ct
        );

    private static LogSeal? SealOf(ClusterConfiguration cluster)
    {
        if (cluster.Log.Encryption is not { } encryption)
            return null;
        var key = encryption.ToKey().ReadKey();
        try
        {
            return new LogSeal(key, cluster.Name);
        }
        finally
        {
            CryptographicOperations.ZeroMemory(key);
        }
    }

    private static async Task<ISharedLog> OpenBareAsync(
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
        var options = new KafkaLogOptions
        {
            Connection = kafka,
            BaseDirectory = configuration.BaseDirectory,
            Topic = kafka.Topic ?? "pipeline-" + cluster.Name,
            AllowFewerCopies = kafka.AllowFewerCopies,
            Time = time,
            Loggers = loggers,
        };
        return await KafkaSharedLog.OpenAsync(options, ct).ConfigureAwait(false);
    }

    /// <summary>Retries until the brokers answer. A log that can never be used fails at once.</summary>
    internal static async Task<T> UntilAvailableAsync<T>(
        Func<CancellationToken, Task<T>> ask,
        string node,
        TimeProvider time,
        ILogger logger,
        CancellationToken ct
    )
    {
        for (var failures = 1; ; failures++)
        {
            var wait = Retries.After(failures);
            try
            {
                return await ask(ct).ConfigureAwait(false);
            }
            catch (KafkaLogUnavailableException e)
            {
                ClusterLog.WaitsForLog(logger, node, e.Message, wait);
            }
            await Task.Delay(wait, time, ct).ConfigureAwait(false);
        }
    }
}
