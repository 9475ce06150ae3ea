using System.Security.Cryptography;
using System.Text;
using System.Text.Json;
using Pipeline.Etl.Configuration;
using Pipeline.Etl.Connectors;
using Pipeline.Subscriptions;
using Pipeline.Yaml;
using Pipeline.Yaml.Secrets;
using Pipeline.Yaml.Settings;

namespace Pipeline.Etl.Records;

/// <summary>
/// A task as it last ran. The database keeps it, so that a plan can show what a configuration file changes. Contains no
/// secrets. Immutable.
/// </summary>
/// <param name="Settings">
/// The settings that differ from their defaults, with secrets masked. Those of its connection begin with
/// <c>connection.</c>.
/// </param>
/// <param name="Helpers">The shared methods, by name.</param>
/// <param name="Secrets">A slow salted hash of each setting that contains a secret, to detect changes.</param>
/// <param name="From">The collections, with secrets masked.</param>
/// <param name="Salt">The salt of the hashes.</param>
internal sealed record TaskRecord(
    SortedDictionary<string, string> Settings,
    SortedDictionary<string, string> Helpers,
    SortedDictionary<string, string> Secrets,
    IReadOnlyList<string> From,
    byte[] Salt
)
{
    // Records of version 1 contained the values of ${file:…} and ${command:…}, so they are neither read nor shown.
    private const int Version = 2;

    /// <summary>
    /// The settings whose values are unknown here, because their secrets were not read. They are left out of
    /// comparisons. Not stored.
    /// </summary>
    public IReadOnlyList<string> Unread { get; init; } = [];

    private const int SaltBytes = 16,
        HashBytes = 16,
        HashRounds = 20_000;
    private static readonly string[] NotRun = ["tests", "testFiles", "name"];

    /// <summary>The key under which the database keeps it.</summary>
    public static string KeyOf(string task) => EtlTaskKeys.Record(task);

    /// <summary>Creates the record of a configured task.</summary>
    /// <param name="task">The task.</param>
    /// <param name="connection">The connection that it sends to.</param>
    /// <param name="secrets">The configuration's secrets.</param>
    /// <param name="salt">The salt of the record to compare with; <see langword="null"/> for a new one.</param>
    public static TaskRecord Of(
        EtlTaskConfiguration task,
        ConnectionConfiguration? connection,
        SecretValues secrets,
        byte[]? salt
    )
    {
        salt ??= RandomNumberGenerator.GetBytes(SaltBytes);
        IEnumerable<KeyValuePair<string, SettingText>> texts = SettingsText.Of(task, "", NotRun, secrets);
        if (connection is not null)
        {
            texts = texts
                .Append(new("connection", new(connection.Definition.Kind, connection.Definition.Kind)))
                .Concat(SettingsText.Of(connection.Options, "connection.", [], secrets));
        }

        var settings = new SortedDictionary<string, string>(StringComparer.Ordinal);
        var hashes = new SortedDictionary<string, string>(StringComparer.Ordinal);
        foreach ((var path, var text) in texts)
        {
            settings[path] = text.Shown;
            if (text.IsMasked)
            {
                hashes[path] = Convert.ToHexStringLower(
                    Rfc2898DeriveBytes.Pbkdf2(text.Text, salt, HashRounds, HashAlgorithmName.SHA256, HashBytes)
                );
            }
        }

        return new TaskRecord(
            settings,
            new(task.Helpers.ToDictionary(h => h.Key, h => h.Value.Text), StringComparer.Ordinal),
            hashes,
            [.. task.From.Select(secrets.Hide)],
            salt
        );
    }

    /// <summary>
    /// Everything that decides how a task runs, including secrets. Equal for tasks that need no restart. Never show or
    /// store it.
    /// </summary>
    public static string Fingerprint(EtlTaskConfiguration task, ConnectionConfiguration connection)
    {
        var text = new StringBuilder();
        foreach ((var path, var value) in SettingsText.Of(task, "", NotRun, SecretValues.None))
            text.Append(path).Append('\0').Append(value.Text).Append('\0');
        foreach ((var name, var helper) in task.Helpers.OrderBy(h => h.Key, StringComparer.Ordinal))
            text.Append(name).Append('\0').Append(helper.Text).Append('\0');
        return text.Append(Fingerprint(connection)).ToString();
    }

    /// <summary>Everything that defines a connection, including secrets. Never show or store it.</summary>
    public static string Fingerprint(ConnectionConfiguration connection) =>
        connection.Definition.Kind
        + "\0"
        + string.Join(
            '\0',
            SettingsText.Of(connection.Options, "", [], SecretValues.None).Select(s => s.Key + "\0" + s.Value.Text)
        );

    /// <summary>The settings and helpers that differ. For a secret, only the fact that it differs.</summary>
    /// <param name="now">The task as it would run, with this record's salt.</param>
    /// <param name="hide">Masks the secrets of the current configuration.</param>
    public List<SettingChange> Compare(TaskRecord now, Func<string, string> hide) =>
        [
            .. SettingsText.Compare(Known(this, now), Known(now, now), (a, b) => a == b, p => p.Shown, hide),
            .. SettingsText
                .Compare(Helpers, now.Helpers, string.Equals, h => h, hide)
                .Select(c => c with { Path = "helpers." + c.Path }),
        ];

    /// <summary>Reads the stored record; <see langword="null"/> if there is none.</summary>
    public static TaskRecord? Read(IFeedSnapshot snapshot, string task)
    {
        if (snapshot.GetState(KeyOf(task)) is not { } bytes)
            return null;
        using var document = JsonDocument.Parse(bytes);
        if (document.RootElement.GetProperty("version").GetInt32() != Version)
            return null;
        var record = document.RootElement;
        return new TaskRecord(
            Map(record.GetProperty("settings")),
            Map(record.GetProperty("helpers")),
            Map(record.GetProperty("secrets")),
            [.. record.GetProperty("from").EnumerateArray().Select(f => f.GetString()!)],
            record.GetProperty("salt").GetBytesFromBase64()
        );
    }

    /// <summary>Stores the record of a task, unless it is already stored.</summary>
    public static async Task StoreAsync(
        IChangeFeed feed,
        EtlTaskConfiguration task,
        ConnectionConfiguration connection,
        CancellationToken cancellationToken
    )
    {
        byte[] bytes;
        using (var snapshot = feed.OpenSnapshot())
        {
            bytes = Of(task, connection, connection.Secrets, Read(snapshot, task.Name)?.Salt).ToBytes();
            if (snapshot.GetState(KeyOf(task.Name)) is { } known && known.AsSpan().SequenceEqual(bytes))
                return;
        }

        await feed.CommitAsync(new FeedCommit([], KeyOf(task.Name), bytes), cancellationToken).ConfigureAwait(false);
    }

    /// <summary>
    /// The parts of the task that its transform needs, for a trial. Values made from a secret come from the current
    /// task if that secret is the same.
    /// </summary>
    /// <param name="task">The task as it would run.</param>
    /// <param name="now">Its record, with this record's salt.</param>
    public EtlTaskConfiguration ToTask(EtlTaskConfiguration task, TaskRecord now)
    {
        bool IsSame(string path) =>
            now.IsUnread(path)
            || (Secrets.TryGetValue(path, out var hash) && now.Secrets.GetValueOrDefault(path) == hash);
        string? Text(string path) =>
            Settings.TryGetValue(path, out var text) && Secrets.ContainsKey(path) ? text + " (before)" : text;
        return new EtlTaskConfiguration
        {
            Name = task.Name,
            From = IsSame("from") ? task.From : From,
            To = Settings.GetValueOrDefault("to", ""),
            Transform = new ScriptText(Settings.GetValueOrDefault("transform", ""), "the old transform"),
            Class = Settings.GetValueOrDefault("class"),
            Classes = task.Classes,
            Language = Value<ScriptLanguage>("language"),
            Deletes = Settings.GetValueOrDefault("deletes") == "true",
            OnDelete = Value<DeletePolicy>("onDelete"),
            Type = IsSame("type") ? task.Type : Text("type"),
            Source = IsSame("source") ? task.Source : Text("source"),
            Helpers = Helpers.ToDictionary(h => h.Key, h => new ScriptText(h.Value, "an old helper")),
        };
    }

    private T Value<T>(string path)
        where T : struct, Enum =>
        Enum.GetValues<T>()
            .FirstOrDefault(v => EnumText.Of(typeof(T), v.ToString()) == Settings.GetValueOrDefault(path));

    /// <summary>Whether the value of a setting, or of a part of it, is unknown.</summary>
    private bool IsUnread(string path) =>
        Unread.Any(u => u == path || u.StartsWith(path + "[", StringComparison.Ordinal));

    private static Dictionary<string, (string Shown, string? Hash)> Known(TaskRecord record, TaskRecord now) =>
        record
            .Settings.Where(s => !now.IsUnread(s.Key))
            .ToDictionary(s => s.Key, s => (s.Value, record.Secrets.GetValueOrDefault(s.Key)), StringComparer.Ordinal);

    private byte[] ToBytes() =>
        JsonSerializer.SerializeToUtf8Bytes(
            new
            {
                version = Version,
                settings = Settings,
                helpers = Helpers,
                secrets = Secrets,
                from = From,
                salt = Salt,
            }
        );

    private static SortedDictionary<string, string> Map(JsonElement element) =>
        new(
            element.EnumerateObject().ToDictionary(p => p.Name, p => p.Value.GetString() ?? ""),
            StringComparer.Ordinal
        );
}
