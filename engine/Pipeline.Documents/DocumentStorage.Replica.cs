using Pipeline.Storage;

namespace Pipeline.Documents;

/// <content>What a replica does when it begins or ends a term as leader.</content>
public abstract partial class DocumentStorage
{
    private static readonly TimeSpan PrepareRetry = TimeSpan.FromSeconds(1);
    private static readonly TimeSpan LeaseRetry = TimeSpan.FromMilliseconds(20);

    private void OnRoleChanged(StorageRole role)
    {
        if (role == StorageRole.Leader)
        {
            var term = new LeaderTerm();
            _term = term;
            _ = Task.Run(() => PrepareToLeadAsync(term));
            return;
        }

        EndTerm();
        // Dictionaries that were not accepted are gone, and others may get their numbers.
        if (PlantedFault != StaleCache.Dictionaries)
            Bodies.Forget();
        using var snapshot = OpenSnapshot("refresh");
        RefreshIndexes(snapshot);
    }

    /// <summary>What must be so before the first write of a term.</summary>
    private async Task PrepareToLeadAsync(LeaderTerm term)
    {
        while (!term.Ended.IsCancellationRequested)
        {
            try
            {
                Refresh();
                if (IdText.Length == 0)
                {
                    await Storage.WriteAsync(Found, term.Ended).ConfigureAwait(false);
                    Refresh();
                }

                // No client resumes uploads that it sent to another leader.
                await Storage
                    .WriteAsync(t => new AttachmentContents(t, Name).DropUploads(), term.Ended)
                    .ConfigureAwait(false);
                await PrepareIndexesAsync().ConfigureAwait(false);
                term.SetReady();
                TellTerm();
                TakeOverIndexes(term.Ended);
                return;
            }
            catch (Exception e)
                when (e
                        is NotLeaderException
                            or NotAcceptedException
                            or OperationCanceledException
                            or ObjectDisposedException
                    && term.Ended.IsCancellationRequested
                )
            {
                DocumentStorageLog.TermOver(Logger, Name);
                return;
            }
            catch (NotLeaderException)
            {
                // The first beat is not accepted yet, so this node is not certain to lead.
                await Task.Delay(LeaseRetry, TimeProvider, term.Ended)
                    .ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            }
#pragma warning disable CA1031 // Whatever it is, the node leads and must say why it takes no writes.
            catch (Exception e)
#pragma warning restore CA1031
            {
                DocumentStorageLog.NotPrepared(Logger, Name, e);
                await Task.Delay(PrepareRetry, TimeProvider, term.Ended)
                    .ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            }
        }
    }

    /// <summary>Makes the database's id. Configurations of the options count at this moment only.</summary>
    private void Found(WriteTransaction transaction)
    {
        var meta = transaction.CreateTree(DatabaseTrees.Meta);
        meta.Put("database-id"u8, NewGuid().ToByteArray());
        meta.Put(DatabaseLineages.Key, DatabaseLineages.Initial.ToBytes());
        Revisions.Found(transaction, _options.Revisions);
        Expiration.Found(transaction, _options.Expiration);
    }
}
