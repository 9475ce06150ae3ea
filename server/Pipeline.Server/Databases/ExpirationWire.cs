using System.Text.Json.Nodes;
using Pipeline.Documents;
using Pipeline.Server.Errors;

namespace Pipeline.Server.Databases;

/// <summary>The settings of expiration and refresh in the clients' form.</summary>
internal static class ExpirationWire
{
    private static readonly TimeSpan Otherwise = TimeSpan.FromMinutes(1);

    /// <summary>The setting in a record; null if it has none.</summary>
    /// <exception cref="BadRequestException">The setting is invalid.</exception>
    public static ExpirationConfiguration? Read(JsonObject? record, ExpirationConfiguration known) =>
        record?["Expiration"] is null && record?["Refresh"] is null
            ? null
            : new ExpirationConfiguration(
                record["Expiration"] is JsonObject expiration
                    ? Interval(expiration, "DeleteFrequencyInSec")
                    : known.DeleteEvery,
                record["Refresh"] is JsonObject refresh
                    ? Interval(refresh, "RefreshFrequencyInSec")
                    : known.RefreshEvery
            );

    /// <summary>Adds the setting to a record.</summary>
    public static void Write(JsonObject record, ExpirationConfiguration configuration)
    {
        if (Deletion(configuration) is { } deletion)
            record["Expiration"] = deletion;
        if (Refreshing(configuration) is { } refreshing)
            record["Refresh"] = refreshing;
    }

    /// <summary>When expired documents are deleted; null if never.</summary>
    public static JsonObject? Deletion(ExpirationConfiguration configuration) =>
        ToJson(configuration.DeleteEvery, "DeleteFrequencyInSec");

    /// <summary>When documents are refreshed; null if never.</summary>
    public static JsonObject? Refreshing(ExpirationConfiguration configuration) =>
        ToJson(configuration.RefreshEvery, "RefreshFrequencyInSec");

    private static JsonObject? ToJson(TimeSpan? interval, string name) =>
        interval is { } time ? new JsonObject { ["Disabled"] = false, [name] = (long)time.TotalSeconds } : null;

    /// <summary>An interval in seconds; null if it is disabled.</summary>
    /// <exception cref="BadRequestException">It is no number of seconds, or out of range.</exception>
    public static TimeSpan? Interval(JsonObject json, string name)
    {
        if (json["Disabled"] is JsonValue disabled && disabled.TryGetValue(out bool yes) && yes)
            return null;
        if (json[name] is null)
            return Otherwise;
        return
            json[name] is JsonValue value
            && value.TryGetValue(out long seconds)
            && seconds > 0
            && seconds <= ExpirationConfiguration.MaxInterval.TotalSeconds
            ? TimeSpan.FromSeconds(seconds)
            : throw new BadRequestException(
                $"'{name}' is {json[name]!.ToJsonString()}, a number of seconds from 1 to {ExpirationConfiguration.MaxInterval.TotalSeconds:0} is expected"
            );
    }
}
