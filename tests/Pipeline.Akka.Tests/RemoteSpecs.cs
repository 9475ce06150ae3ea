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

// Akka.NET's own specifications, on databases of a server.
[Collection(SpecServer.Collection)]
public sealed class RemoteJournalSpec : JournalSpec
{
    public RemoteJournalSpec(ITestOutputHelper output)
        : base(SpecPlace.Remote(), "RemoteJournalSpec", output) => Initialize();
}

[Collection(SpecServer.Collection)]
public sealed class RemoteSnapshotStoreSpec : SnapshotStoreSpec
{
    public RemoteSnapshotStoreSpec(ITestOutputHelper output)
        : base(SpecPlace.Remote(), "RemoteSnapshotStoreSpec", output) => Initialize();
}

[Collection(SpecServer.Collection)]
public sealed class RemoteSnapshotStoreSaveSnapshotSpec(ITestOutputHelper output) : SnapshotStoreSaveSnapshotSpec(SpecPlace.Remote(), "RemoteSnapshotStoreSaveSnapshotSpec", output);

[Collection(SpecServer.Collection)]
public sealed class RemoteJournalSerializationSpec(ITestOutputHelper output) : JournalSerializationSpec(SpecPlace.Remote(), "RemoteJournalSerializationSpec", output);

[Collection(SpecServer.Collection)]
public sealed class RemoteSnapshotStoreSerializationSpec(ITestOutputHelper output) : SnapshotStoreSerializationSpec(SpecPlace.Remote(), "RemoteSnapshotStoreSerializationSpec", output);

[Collection(SpecServer.Collection)]
public sealed class RemoteJournalPerfSpec : JournalPerfSpec
{
    public RemoteJournalPerfSpec(ITestOutputHelper output)
        : base(SpecPlace.Remote(), "RemoteJournalPerfSpec", output) => ExpectDuration = TimeSpan.FromMinutes(2);
}

[Collection(SpecServer.Collection)]
public sealed class RemoteAllEventsSpec : AllEventsSpec
{
    public RemoteAllEventsSpec(ITestOutputHelper output)
        : base(SpecPlace.Remote(), "RemoteAllEventsSpec", output) => ReadJournal = Sys.ReadJournalFor<PipelineReadJournal>(PipelineReadJournal.Identifier);
}

[Collection(SpecServer.Collection)]
public sealed class RemoteCurrentAllEventsSpec : CurrentAllEventsSpec
{
    public RemoteCurrentAllEventsSpec(ITestOutputHelper output)
        : base(SpecPlace.Remote(), "RemoteCurrentAllEventsSpec", output) => ReadJournal = Sys.ReadJournalFor<PipelineReadJournal>(PipelineReadJournal.Identifier);
}

[Collection(SpecServer.Collection)]
public sealed class RemoteCurrentEventsByPersistenceIdSpec : CurrentEventsByPersistenceIdSpec
{
    public RemoteCurrentEventsByPersistenceIdSpec(ITestOutputHelper output)
        : base(SpecPlace.Remote(), "RemoteCurrentEventsByPersistenceIdSpec", output) => ReadJournal = Sys.ReadJournalFor<PipelineReadJournal>(PipelineReadJournal.Identifier);
}

[Collection(SpecServer.Collection)]
public sealed class RemoteCurrentEventsByTagSpec : CurrentEventsByTagSpec
{
    public RemoteCurrentEventsByTagSpec(ITestOutputHelper output)
        : base(SpecPlace.Remote(), "RemoteCurrentEventsByTagSpec", output) => ReadJournal = Sys.ReadJournalFor<PipelineReadJournal>(PipelineReadJournal.Identifier);

    protected override bool SupportsTagsInEventEnvelope => true;
}

[Collection(SpecServer.Collection)]
public sealed class RemoteCurrentPersistenceIdsSpec : CurrentPersistenceIdsSpec
{
    public RemoteCurrentPersistenceIdsSpec(ITestOutputHelper output)
        : base(SpecPlace.Remote(), "RemoteCurrentPersistenceIdsSpec", output) => ReadJournal = Sys.ReadJournalFor<PipelineReadJournal>(PipelineReadJournal.Identifier);
}

[Collection(SpecServer.Collection)]
public sealed class RemoteEventsByPersistenceIdSpec : EventsByPersistenceIdSpec
{
    public RemoteEventsByPersistenceIdSpec(ITestOutputHelper output)
        : base(SpecPlace.Remote(), "RemoteEventsByPersistenceIdSpec", output) => ReadJournal = Sys.ReadJournalFor<PipelineReadJournal>(PipelineReadJournal.Identifier);
}

[Collection(SpecServer.Collection)]
public sealed class RemoteEventsByTagSpec : EventsByTagSpec
{
    public RemoteEventsByTagSpec(ITestOutputHelper output)
        : base(SpecPlace.Remote(), "RemoteEventsByTagSpec", output) => ReadJournal = Sys.ReadJournalFor<PipelineReadJournal>(PipelineReadJournal.Identifier);

    protected override bool SupportsTagsInEventEnvelope => true;
}

[Collection(SpecServer.Collection)]
public sealed class RemotePersistenceIdsSpec : PersistenceIdsSpec
{
    public RemotePersistenceIdsSpec(ITestOutputHelper output)
        : base(SpecPlace.Remote(), "RemotePersistenceIdsSpec", output) => ReadJournal = Sys.ReadJournalFor<PipelineReadJournal>(PipelineReadJournal.Identifier);
}
