using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Abstractions;
using Pipeline.Etl.Connectors;
using Xunit;

namespace Pipeline.IntegrationTests;

/// <summary>Creates connectors and sinks as the worker does.</summary>
internal static class Sinks
{
    /// <summary>A name that nothing on a broker has yet.</summary>
    public static string NewName(string prefix) => prefix + "-" + Guid.NewGuid().ToString("N")[..12];

    /// <summary>The connector that takes such options, which must be valid.</summary>
    public static IConnector Connector(object options, ILoggerFactory? loggers = null)
    {
        var definition = ConnectorCatalog.BuiltIn.Definitions.Single(d => d.OptionsType == options.GetType());
        Assert.Empty(definition.Validate(options));
        return definition.Create(
            options,
            new ConnectorContext(
                definition.Kind,
                Path.GetTempPath(),
                TimeProvider.System,
                loggers ?? NullLoggerFactory.Instance
            )
        );
    }

    /// <summary>A task's sink.</summary>
    public static IMessageSink Sink(
        IConnector connector,
        string task = "task",
        string databaseId = "db",
        ILoggerFactory? loggers = null
    ) =>
        connector.CreateSink(
            new SinkContext(task, databaseId, TimeProvider.System, loggers ?? NullLoggerFactory.Instance)
        );
}
