using System.Globalization;
using System.Text.Json;
using Pipeline.Database;
using Pipeline.Documents;
using Pipeline.Etl.Configuration;
using Pipeline.Etl.DeadLetters;
using Pipeline.Etl.Records;
using Pipeline.Subscriptions;
using Pipeline.Yaml.Secrets;
using Pipeline.Yaml.Settings;

namespace Pipeline.Configuration.Planning;

/// <summary>Says what a configuration would change in a database, and changes nothing. Thread-safe.</summary>
/// <param name="database">The database.</param>
/// <param name="running">
/// The configuration that a worker runs now; <see langword="null"/> where none does: then what the database remembers
/// is compared.
/// </param>
/// <param name="subscriptions">The existing subscriptions.</param>
public sealed class ChangePlanner(
    DocumentDatabase database,
    PipelineConfiguration? running,
    IReadOnlyList<SubscriptionDefinition> subscriptions
)
{
    private const int Shown = 3;
    private static readonly string[] AppliedLive =
    [
        "etl",
        "connections",
        "helpers",
        "indexes",
        "subscriptions",
        "backups",
        "import",
        "version",
    ];
    private static readonly string[] TakenLive = ["watch"];
    private static readonly string[] Messages =
    [
        "transform",
        "language",
        "from",
        "onDelete",
        "deletes",
        "type",
        "source",
    ];

    /// <summary>Makes the plan.</summary>
    /// <param name="next">The configuration; its transforms must compile.</param>
    /// <param name="sample">How many real documents to try changed transforms on.</param>
    /// <param name="keeps">Tasks that stay registered though the file no longer has them; <c>*</c> for all.</param>
    /// <param name="cancellationToken">Ends it.</param>
    public PipelineChangePlan Plan(
        PipelineConfiguration next,
        int sample,
        IReadOnlyCollection<string> keeps,
        CancellationToken cancellationToken = default
    )
    {
        ArgumentNullException.ThrowIfNull(next);
        var feed = new DatabaseChangeFeed(database);
        var consumers = database
            .Consumers.GetStatus()
            .Where(c => EtlTaskKeys.TaskOf(c.Name) is not null)
            .ToDictionary(c => EtlTaskKeys.TaskOf(c.Name)!, StringComparer.OrdinalIgnoreCase);
        List<TaskChange> tasks =
        [
            .. next.Etl.Select(t =>
                Compare(t, next, feed, consumers.GetValueOrDefault(t.Name), sample, cancellationToken)
            ),
        ];
        foreach (
            (var name, var status) in consumers
                .Where(c => !next.Etl.Any(t => t.Name.Equals(c.Key, StringComparison.OrdinalIgnoreCase)))
                .OrderBy(c => c.Key, StringComparer.Ordinal)
        )
        {
            tasks.Add(
                new TaskChange
                {
                    Name = name,
                    Kind = TaskChangeKind.Removed,
                    Position = status.Position,
                    Waiting = status.Pending.Changes,
                    HeldTombstones = status.HeldTombstones,
                    KeepsRegistration = keeps.Contains("*") || keeps.Contains(name, StringComparer.OrdinalIgnoreCase),
                    DeadLetters = CountLetters(name),
                }
            );
        }

        return new PipelineChangePlan
        {
            File = next.File,
            LastPosition = database.LastPosition,
            Tasks = tasks,
            Indexes = CompareIndexes(next),
            Subscriptions = CompareSubscriptions(next),
            Backups = running is null ? [] : CompareBackups(running, next),
            Settings = running is null
                ? []
                : Compare(
                    running,
                    next,
                    [.. SettingsType.Of(typeof(PipelineConfiguration)).Properties.Select(p => p.Key).Except(TakenLive)]
                ),
            NeedsRestart = running is null ? [] : Compare(running, next, [.. AppliedLive, .. TakenLive]),
        };
    }

    private List<SettingChange> Compare(
        PipelineConfiguration old,
        PipelineConfiguration next,
        IReadOnlyCollection<string> except
    ) =>
        SettingsText
            .Compare(
                SettingsText.Of(old, "", except, old.SecretValues),
                SettingsText.Of(next, "", except, next.SecretValues),
                t => Hide(t, next)
            )
            .FindAll(c => !IsUnread(c.Path, next));

    private static bool IsUnread(string path, PipelineConfiguration next) =>
        next.Unread.Any(u => u.Path == path || u.Path.StartsWith(path + "[", StringComparison.Ordinal));

    /// <summary>
    /// Hides the secrets of both configurations: a password may have stood in this file before it moved to a secret
    /// file.
    /// </summary>
    private string Hide(string text, PipelineConfiguration next) =>
        running is null ? next.Redact(text) : running.Redact(next.Redact(text));

    private TaskChange Compare(
        EtlTaskConfiguration task,
        PipelineConfiguration next,
        IChangeFeed feed,
        ConsumerStatus? consumer,
        int sample,
        CancellationToken cancellationToken
    )
    {
        TaskRecord? record;
        long position;
        using (var snapshot = feed.OpenSnapshot())
        {
            record = TaskRecord.Read(snapshot, task.Name);
            position = feed.OpenCursor(EtlTaskKeys.ConsumerName(task.Name), task.ToFilter()).Position;
        }

        var unread = Unread(task, next);
        var now = TaskRecord.Of(task, next.Connections.GetValueOrDefault(task.To), next.SecretValues, record?.Salt) with
        {
            Unread = unread,
        };
        var isKnown = record is not null && consumer is not null;
        var changes = record?.Compare(now, t => Hide(t, next)) ?? [];
        var affects =
            record is not null
            && changes.Exists(c =>
                Messages.Contains(c.Path) || c.Path.StartsWith("helpers.", StringComparison.Ordinal)
            );
        var comparison = new TransformComparison(feed, record?.ToTask(task, now), task, t => Hide(t, next));
        (var tried, var different, var oldProblem, var samples) =
            affects || !isKnown ? comparison.Run(sample, Shown, cancellationToken) : (0, 0, null, []);
        using var measured = database.OpenSnapshot("plan");
        var filter = task.ToFilter();
        var backlog = measured.MeasureChanges(
            position,
            filter.Collections is { } named ? ChangeFilter.Of(named, filter.Deletes)
                : filter.Deletes ? ChangeFilter.AllWithDeletes
                : ChangeFilter.All
        );
        return new TaskChange
        {
            Name = task.Name,
            Kind =
                !isKnown ? TaskChangeKind.Added
                : changes.Count > 0 ? TaskChangeKind.Changed
                : TaskChangeKind.Unchanged,
            Position = position,
            Waiting = backlog.Changes,
            Settings = isKnown ? changes : [],
            NotCompared = unread,
            ChangesMessages = affects,
            Tried = tried,
            Different = different,
            OldProblem = oldProblem,
            Samples = samples,
            DeadLetters = CountLetters(task.Name),
        };
    }

    /// <summary>The settings of a task, by their paths in its record, whose secrets were not read.</summary>
    private static List<string> Unread(EtlTaskConfiguration task, PipelineConfiguration next)
    {
        var own = string.Create(CultureInfo.InvariantCulture, $"etl[{next.Etl.ToList().IndexOf(task)}].");
        var connection = next.Connections.GetValueOrDefault(task.To) is { } to
            ? $"connections.{to.Name}.{to.Definition.Kind}."
            : null;
        return
        [
            .. next
                .Unread.Where(u => u.Path.StartsWith(own, StringComparison.Ordinal))
                .Select(u => u.Path[own.Length..]),
            .. next
                .Unread.Where(u => connection is not null && u.Path.StartsWith(connection, StringComparison.Ordinal))
                .Select(u => "connection." + u.Path[connection!.Length..]),
        ];
    }

    private int CountLetters(string task)
    {
        using var snapshot = database.OpenSnapshot("plan");
        return snapshot.GetByPrefix(DeadLetterIds.PrefixOf(task)).Count();
    }

    private List<ObjectChange> CompareIndexes(PipelineConfiguration next) =>
        Compare(
            database
                .Indexes.List()
                .Where(i => i.Definition.Auto is null)
                .ToDictionary(i => i.Name, i => i.Definition, StringComparer.OrdinalIgnoreCase),
            next.Indexes,
            i => i.Name,
            _ => "is built from all documents",
            (there, i) =>
                i.ToDefinition() is var wanted && there.Hash != wanted.Hash
                    ? "is rebuilt; the old version answers until then"
                : there.AnswerHash != wanted.AnswerHash ? "takes effect at once; nothing is indexed again"
                : null,
            "kept",
            "is not in the file; 'pipeline index delete' removes it"
        );

    private List<ObjectChange> CompareSubscriptions(PipelineConfiguration next) =>
        Compare(
            subscriptions.ToDictionary(s => s.Name, StringComparer.OrdinalIgnoreCase),
            next.Subscriptions,
            s => s.Name,
            s => $"begins at the {EnumText.Of(typeof(SubscriptionBegin), s.From.ToString())}",
            (there, s) => IsSame(there, s.ToDefinition()) ? null : "keeps its position; its workers reconnect",
            "kept",
            "is not in the file; 'pipeline subscription delete' removes it"
        );

    private static List<ObjectChange> CompareBackups(PipelineConfiguration running, PipelineConfiguration next) =>
        Compare(
            running.Backups.ToDictionary(b => b.Name, StringComparer.OrdinalIgnoreCase),
            next.Backups,
            b => b.Name,
            _ => "is made from now on",
            (there, b) =>
                SettingsText
                    .Compare(
                        SettingsText.Of(there, "", [], SecretValues.None),
                        SettingsText.Of(b, "", [], SecretValues.None),
                        t => t
                    )
                    .FindAll(c =>
                        !IsUnread(
                            string.Create(
                                CultureInfo.InvariantCulture,
                                $"backups[{next.Backups.ToList().IndexOf(b)}].{c.Path}"
                            ),
                            next
                        )
                    )
                    is { Count: > 0 } settings
                    ? string.Join(", ", settings.Select(s => s.Path))
                    : null,
            "removed",
            "is no longer made; its earlier backups stay"
        );

    /// <summary>
    /// Describes the change of each object: <paramref name="added"/> of a new one, <paramref name="changed"/> of an
    /// existing one, with null if it does not change.
    /// </summary>
    private static List<ObjectChange> Compare<TThere, TNext>(
        Dictionary<string, TThere> there,
        IReadOnlyList<TNext> next,
        Func<TNext, string> nameOf,
        Func<TNext, string> added,
        Func<TThere, TNext, string?> changed,
        string goneKind,
        string gone
    )
    {
        List<ObjectChange> changes =
        [
            .. next.Select(n =>
                !there.TryGetValue(nameOf(n), out var old) ? new ObjectChange(nameOf(n), "added", added(n))
                : changed(old, n) is { } note ? new ObjectChange(nameOf(n), "changed", note)
                : new ObjectChange(nameOf(n), "unchanged", "")
            ),
        ];
        changes.AddRange(
            there
                .Keys.Where(t => !next.Any(n => nameOf(n).Equals(t, StringComparison.OrdinalIgnoreCase)))
                .Select(t => new ObjectChange(t, goneKind, gone))
        );
        return changes;
    }

    // One that was paused by a command stays so.
    private static bool IsSame(SubscriptionDefinition there, SubscriptionDefinition next) =>
        JsonSerializer.Serialize(there)
        == JsonSerializer.Serialize(next with { IsPaused = there.IsPaused || next.IsPaused });
}
