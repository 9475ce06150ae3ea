using Akka.Persistence.Query;
using Akka.Persistence.TCK.Journal;
using Akka.Persistence.TCK.Query;
using Akka.Persistence.TCK.Serialization;
using Akka.Persistence.TCK.Snapshot;
using Akka.Persistence.TestKit.Performance;
using Pipeline.Akka.Persistence.Query;
using Xunit;
using Xunit.Abstractions;

namespace Pipeline.Akka.Tests;

// Akka.NET's own specifications, on a database in the process.
public sealed class EmbeddedJournalSpec : JournalSpec
{
    public EmbeddedJournalSpec(ITestOutputHelper output)
        : base(SpecPlace.Embedded(), "EmbeddedJournalSpec", output) => Initialize();
}

public sealed class EmbeddedSnapshotStoreSpec : SnapshotStoreSpec
{
    public EmbeddedSnapshotStoreSpec(ITestOutputHelper output)
        : base(SpecPlace.Embedded(), "EmbeddedSnapshotStoreSpec", output) => Initialize();
}

public sealed class EmbeddedSnapshotStoreSaveSnapshotSpec(ITestOutputHelper output) : SnapshotStoreSaveSnapshotSpec(SpecPlace.Embedded(), "EmbeddedSnapshotStoreSaveSnapshotSpec", output);

public sealed class EmbeddedJournalSerializationSpec(ITestOutputHelper output) : JournalSerializationSpec(SpecPlace.Embedded(), "EmbeddedJournalSerializationSpec", output);

public sealed class EmbeddedSnapshotStoreSerializationSpec(ITestOutputHelper output) : SnapshotStoreSerializationSpec(SpecPlace.Embedded(), "EmbeddedSnapshotStoreSerializationSpec", output);

public sealed class EmbeddedJournalPerfSpec : JournalPerfSpec
{
    public EmbeddedJournalPerfSpec(ITestOutputHelper output)
        : base(SpecPlace.Embedded(), "EmbeddedJournalPerfSpec", output) => ExpectDuration = TimeSpan.FromMinutes(2);
}

public sealed class EmbeddedAllEventsSpec : AllEventsSpec
{
    public EmbeddedAllEventsSpec(ITestOutputHelper output)
        : base(SpecPlace.Embedded(), "EmbeddedAllEventsSpec", output) => ReadJournal = Sys.ReadJournalFor<PipelineReadJournal>(PipelineReadJournal.Identifier);
}

public sealed class EmbeddedCurrentAllEventsSpec : CurrentAllEventsSpec
{
    public EmbeddedCurrentAllEventsSpec(ITestOutputHelper output)
        : base(SpecPlace.Embedded(), "EmbeddedCurrentAllEventsSpec", output) => ReadJournal = Sys.ReadJournalFor<PipelineReadJournal>(PipelineReadJournal.Identifier);
}

public sealed class EmbeddedCurrentEventsByPersistenceIdSpec : CurrentEventsByPersistenceIdSpec
{
    public EmbeddedCurrentEventsByPersistenceIdSpec(ITestOutputHelper output)
        : base(SpecPlace.Embedded(), "EmbeddedCurrentEventsByPersistenceIdSpec", output) => ReadJournal = Sys.ReadJournalFor<PipelineReadJournal>(PipelineReadJournal.Identifier);
}

public sealed class EmbeddedCurrentEventsByTagSpec : CurrentEventsByTagSpec
{
    public EmbeddedCurrentEventsByTagSpec(ITestOutputHelper output)
        : base(SpecPlace.Embedded(), "EmbeddedCurrentEventsByTagSpec", output) => ReadJournal = Sys.ReadJournalFor<PipelineReadJournal>(PipelineReadJournal.Identifier);

    protected override bool SupportsTagsInEventEnvelope => true;
}

public sealed class EmbeddedCurrentPersistenceIdsSpec : CurrentPersistenceIdsSpec
{
    public EmbeddedCurrentPersistenceIdsSpec(ITestOutputHelper output)
        : base(SpecPlace.Embedded(), "EmbeddedCurrentPersistenceIdsSpec", output) => ReadJournal = Sys.ReadJournalFor<PipelineReadJournal>(PipelineReadJournal.Identifier);
}

public sealed class EmbeddedEventsByPersistenceIdSpec : EventsByPersistenceIdSpec
{
    public EmbeddedEventsByPersistenceIdSpec(ITestOutputHelper output)
        : base(SpecPlace.Embedded(), "EmbeddedEventsByPersistenceIdSpec", output) => ReadJournal = Sys.ReadJournalFor<PipelineReadJournal>(PipelineReadJournal.Identifier);
}

public sealed class EmbeddedEventsByTagSpec : EventsByTagSpec
{
    public EmbeddedEventsByTagSpec(ITestOutputHelper output)
        : base(SpecPlace.Embedded(), "EmbeddedEventsByTagSpec", output) => ReadJournal = Sys.ReadJournalFor<PipelineReadJournal>(PipelineReadJournal.Identifier);

    protected override bool SupportsTagsInEventEnvelope => true;
}

public sealed class EmbeddedPersistenceIdsSpec : PersistenceIdsSpec
{
    public EmbeddedPersistenceIdsSpec(ITestOutputHelper output)
        : base(SpecPlace.Embedded(), "EmbeddedPersistenceIdsSpec", output) => ReadJournal = Sys.ReadJournalFor<PipelineReadJournal>(PipelineReadJournal.Identifier);
}
