"""Hugging Face's Trainer. Nothing in it is for rankscope; run it as

    KINETO_USE_DAEMON=1 torchrun --nproc-per-node 8 train_hf.py
"""

from datasets import load_dataset
from transformers import (
    AutoModelForCausalLM,
    AutoTokenizer,
    DataCollatorForLanguageModeling,
    Trainer,
    TrainingArguments,
)

NAME = "gpt2"


def main():
    tokenizer = AutoTokenizer.from_pretrained(NAME)
    tokenizer.pad_token = tokenizer.eos_token
    texts = load_dataset("wikitext", "wikitext-2-raw-v1", split="train").filter(lambda row: row["text"].strip() != "")
    tokens = texts.map(
        lambda rows: tokenizer(rows["text"], truncation=True, max_length=512), batched=True, remove_columns=["text"]
    )
    trainer = Trainer(
        model=AutoModelForCausalLM.from_pretrained(NAME),
        args=TrainingArguments("out", per_device_train_batch_size=8, num_train_epochs=3),
        train_dataset=tokens,
        data_collator=DataCollatorForLanguageModeling(tokenizer, mlm=False),
    )
    trainer.train()


if __name__ == "__main__":
    main()
