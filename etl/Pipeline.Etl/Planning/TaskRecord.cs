using System.Text;
using System.Text.Json;
using Pipeline.Etl.Configuration;
using Pipeline.Etl.Runner;
using Pipeline.Subscriptions;

namespace Pipeline.Etl.Planning;

/// <summary>A task as it last ran, which the database keeps so that a plan can say what a file changes. Holds no secrets. Immutable.</summary>
/// <param name="Settings">The settings that differ from their defaults, those of its connection among them as <c>connection.…</c>.</param>
/// <param name="Helpers">The shared methods, by name.</param>
internal sealed record TaskRecord(SortedDictionary<string, string> Settings, SortedDictionary<string, string> Helpers)
{
    private const int Version = 1;
    private static readonly string[] NotRun = ["tests", "testFiles", "name"];

    /// <summary>Where the database keeps it.</summary>
    public static string KeyOf(string task) => EtlTaskKeys.Record(task);

    /// <summary>Of a task of a configuration.</summary>
    public static TaskRecord Of(EtlTaskConfiguration task, ConnectionConfiguration? connection)
    {
        SortedDictionary<string, string> settings = SettingsText.Of(task, "", NotRun, withSecrets: false);
        if (connection is not null)
        {
            settings["connection"] = connection.Definition.Kind;
            foreach ((string path, string value) in SettingsText.Of(connection.Options, "connection.", [], withSecrets: false)) settings[path] = value;
        }

        return new TaskRecord(settings, new(task.Helpers.ToDictionary(h => h.Key, h => h.Value.Text), StringComparer.Ordinal));
    }

    /// <summary>All that decides how a task runs, secrets too: equal for tasks that need not be started anew. Never shown or stored.</summary>
    public static string Fingerprint(EtlTaskConfiguration task, ConnectionConfiguration connection)
    {
        var text = new StringBuilder();
        foreach ((string path, string value) in SettingsText.Of(task, "", NotRun, withSecrets: true)) text.Append(path).Append('\0').Append(value).Append('\0');
        foreach ((string name, ScriptText helper) in task.Helpers.OrderBy(h => h.Key, StringComparer.Ordinal)) text.Append(name).Append('\0').Append(helper.Text).Append('\0');
        return text.Append(Fingerprint(connection)).ToString();
    }

    /// <summary>All that makes a connection, secrets too. Never shown or stored.</summary>
    public static string Fingerprint(ConnectionConfiguration connection) =>
        connection.Definition.Kind + "\0" + string.Join('\0', SettingsText.Of(connection.Options, "", [], withSecrets: true).Select(s => s.Key + "\0" + s.Value));

    /// <summary>Reads what the database keeps; <see langword="null"/> where it keeps none.</summary>
    public static TaskRecord? Read(IFeedSnapshot snapshot, string task)
    {
        if (snapshot.GetState(KeyOf(task)) is not { } bytes) return null;
        using JsonDocument document = JsonDocument.Parse(bytes);
        if (document.RootElement.GetProperty("version").GetInt32() != Version) return null;
        return new TaskRecord(Map(document.RootElement.GetProperty("settings")), Map(document.RootElement.GetProperty("helpers")));
    }

    /// <summary>Keeps the record of a task, where it is not kept already.</summary>
    public static async Task StoreAsync(IChangeFeed feed, EtlTaskConfiguration task, ConnectionConfiguration connection, CancellationToken cancellationToken)
    {
        byte[] bytes = Of(task, connection).ToBytes();
        using (IFeedSnapshot snapshot = feed.OpenSnapshot())
        {
            if (snapshot.GetState(KeyOf(task.Name)) is { } known && known.AsSpan().SequenceEqual(bytes)) return;
        }

        await feed.CommitAsync(new FeedCommit([], KeyOf(task.Name), bytes), cancellationToken).ConfigureAwait(false);
    }

    /// <summary>The task as far as its transform goes, to try it.</summary>
    public EtlTaskConfiguration ToTask(string name) => new()
    {
        Name = name,
        From = [.. Settings.GetValueOrDefault("from", "[]")[1..^1].Split(", ")],
        To = Settings.GetValueOrDefault("to", ""),
        Transform = new ScriptText(Settings.GetValueOrDefault("transform", ""), "the old transform"),
        Deletes = Settings.GetValueOrDefault("deletes") == "true",
        OnDelete = Enum.TryParse(Settings.GetValueOrDefault("onDelete"), ignoreCase: true, out DeletePolicy policy) ? policy : DeletePolicy.Nothing,
        Type = Settings.GetValueOrDefault("type"),
        Source = Settings.GetValueOrDefault("source"),
        Helpers = Helpers.ToDictionary(h => h.Key, h => new ScriptText(h.Value, "an old helper")),
    };

    private byte[] ToBytes() => JsonSerializer.SerializeToUtf8Bytes(new { version = Version, settings = Settings, helpers = Helpers });

    private static SortedDictionary<string, string> Map(JsonElement element) =>
        new(element.EnumerateObject().ToDictionary(p => p.Name, p => p.Value.GetString() ?? ""), StringComparer.Ordinal);
}
