using System.Diagnostics.Metrics;

namespace Pipeline.Server;

/// <summary>The server's metrics.</summary>
internal static class ServerMetrics
{
    private static readonly Meter Meter = new("Pipeline.Server");

    /// <summary>Requests answered, by status.</summary>
    public static readonly Counter<long> Requests = Meter.CreateCounter<long>(
        "pipeline.server.requests",
        "{request}",
        "Requests answered."
    );

    /// <summary>Connections that process subscriptions.</summary>
    public static readonly UpDownCounter<long> Workers = Meter.CreateUpDownCounter<long>(
        "pipeline.server.subscription_connections",
        "{connection}",
        "Connections that work on subscriptions."
    );

    /// <summary>Connections that receive changes.</summary>
    public static readonly UpDownCounter<long> Listeners = Meter.CreateUpDownCounter<long>(
        "pipeline.server.changes_connections",
        "{connection}",
        "Connections that receive changes."
    );

    /// <summary>Requests and connections refused because of the client's identity.</summary>
    public static readonly Histogram<double> QueryDuration = Meter.CreateHistogram<double>(
        "pipeline.server.query.duration",
        "s",
        "Time to answer a query, without streams; with the wait for its index and its turn."
    );

    public static readonly Counter<long> Refused = Meter.CreateCounter<long>(
        "pipeline.server.refused",
        "{request}",
        "Requests and connections refused for lack of rights."
    );

    /// <summary>Counts an answer.</summary>
    public static void Answered(int status)
    {
        if (Requests.Enabled)
            Requests.Add(1, new KeyValuePair<string, object?>("http.response.status_code", status));
    }
}
